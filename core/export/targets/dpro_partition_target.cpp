#include "core/export/targets/dpro_partition_target.h"

#include "core/base/error.h"
#include "core/export/config_values.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace core {

namespace {

    /// How its TensorFlow names the tensor with that number.
    constexpr std::string_view TensorPrefix = "Distributed_Push_Pull/BytePSPushPull.";

    /// dPRO's fork of BytePS (joapolarbear/byteps) reads lines "<tensor> <bytes>", and its
    /// optimizer writes them so (joapolarbear/dpro, dump_tensor_partitions). Tensors are numbered
    /// as the program lists its variables; gradients become ready the other way round.
    class DproPartitionTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "dpro-partition"; }
        std::string_view meaning() const override
        {
            return "partition sizes of dPRO's BytePS: name the file in BYTEPS_PARTITION_SPEC_FILE";
        }
        std::string_view fileName() const override { return "tensor_partition_spec.txt"; }
        BucketForm bucketForm() const override { return BucketForm::None; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            const std::vector<std::uint64_t> &bytes = tensorBytesOf(request.job);
            if (bytes.empty())
                values.leaveOut("partition_bytes", "the tensors of the job are not known.");
            const auto most = values.take("partition_bytes");
            if (most && values.lookText("schedule") == "fifo")
                values.takeText("schedule");
            values.leaveOut("schedule",
                            "BytePS sends by priority with a credit only, which is not "
                            "in this file. See the target byteps.");
            values.leaveOut("credit_bytes", "it is not in this file. See the target byteps.");
            if (most) {
                file.text = linesOf(bytes, *most);
                file.notes.push_back("Tensor 0 is the gradient that is ready last, as the first "
                                     "variable's is. Names are those of TensorFlow.");
            }
            values.close(file);
            return file;
        }

        /// The largest part; tensors that are not cut say nothing.
        Strategy read(const std::string &text, const MeasuredJob &job) const override
        {
            std::vector<std::uint64_t> tensors = tensorBytesOf(job);
            std::reverse(tensors.begin(), tensors.end());
            Strategy strategy;
            double largest = 0, largestCut = 0;
            std::istringstream lines(text);
            std::string tensor;
            double bytes = 0;
            std::size_t count = 0;
            for (; lines >> tensor; ++count) {
                if (!tensor.starts_with(TensorPrefix) || !(lines >> bytes) || bytes < 1)
                    throw Error("The exported partitions have no tensor and size in line "
                                + std::to_string(count + 1) + ".");
                largest = std::max(largest, bytes);
                if (count < tensors.size() && bytes < static_cast<double>(tensors[count]))
                    largestCut = std::max(largestCut, bytes);
            }
            if (count == 0)
                return strategy;
            strategy.set({ "schedule", std::string("fifo") });
            strategy.set({ "partition_bytes", largestCut > 0 ? largestCut : largest });
            return strategy;
        }

    private:
        static std::string linesOf(const std::vector<std::uint64_t> &bytes, double most)
        {
            std::string text;
            std::size_t number = 0;
            for (auto tensor = bytes.rbegin(); tensor != bytes.rend(); ++tensor)
                text += std::string(TensorPrefix) + std::to_string(number++) + " "
                    + configNumber(std::clamp(static_cast<double>(*tensor), 1.0, most)) + "\n";
            return text;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> dproPartitionTarget()
{
    return std::make_unique<DproPartitionTarget>();
}

} // namespace core
