#include "core/export/targets/tensorflow_xla_target.h"

#include "core/change/fusion/op_fusion_change.h"
#include "core/export/config_values.h"

namespace core {

namespace {

    constexpr std::string_view AllClusters = "--tf_xla_auto_jit=2";

    /// TensorFlow's automatic clustering joins all that XLA can compile
    /// (tensorflow/compiler/jit/flags.cc): what is handed over leaves at a cluster's end. It is
    /// dPRO's baseline.
    class TensorflowXlaTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "tensorflow-xla"; }
        std::string_view meaning() const override
        {
            return "environment variables for TensorFlow's automatic clustering: source the file "
                   "before the job starts";
        }
        std::string_view fileName() const override { return "tensorflow_xla.sh"; }
        BucketForm bucketForm() const override { return BucketForm::None; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            const bool isAll = values.takeFusion(
                { std::string(FuseAll) },
                "TensorFlow chooses clusters by itself, as large as it can: op_fusion=xla. For "
                "parts, put tf.function(jit_compile=True) around them in the program.");
            values.close(file);
            if (!isAll)
                return file;
            file.notes.push_back("Names are those of TensorFlow 2 "
                                 "(tensorflow/compiler/jit/flags.cc).");
            file.notes.push_back("A cluster ends at an operation that XLA does not compile. The "
                                 "prediction has one for the whole backward pass.");
            file.text = commentLines(request.comments, "#") + commentLines(file.notes, "#")
                + "export TF_XLA_FLAGS=\"${TF_XLA_FLAGS:-} " + std::string(AllClusters) + "\"\n";
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &) const override
        {
            Strategy strategy;
            if (text.find(AllClusters) != std::string::npos)
                strategy.set({ std::string(OpFusionKey), std::string(FuseAll) });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> tensorflowXlaTarget()
{
    return std::make_unique<TensorflowXlaTarget>();
}

} // namespace core
