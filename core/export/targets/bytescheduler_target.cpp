#include "core/export/targets/bytescheduler_target.h"

#include "core/export/config_values.h"
#include "core/measure/job_metadata.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    constexpr std::string_view PartitionVariable = "BYTESCHEDULER_PARTITION",
                               CreditVariable = "BYTESCHEDULER_CREDIT";
    constexpr double OwnCredit = 4'000'000; ///< parameters, where none is set

    /// Counts partitions and credit in parameters, not in bytes.
    double parameterBytes(const MeasuredJob &job)
    {
        constexpr int Float32 = 4;
        return statedElementBytes(job.trace).value_or(Float32);
    }

    std::string assignment(std::string_view name, double value)
    {
        return "export " + std::string(name) + "=" + configNumber(value) + "\n";
    }

    /// Peng et al., SOSP 2019, as in bytedance/byteps, branch bytescheduler
    /// (bytescheduler/common/bytecore.py): sizes are numbers of parameters, partitions of the
    /// layers nearest to the input go first, and a credit is always kept. It is tuned while the job
    /// runs unless BYTESCHEDULER_CREDIT_TUNING is 0.
    class ByteschedulerTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "bytescheduler"; }
        std::string_view meaning() const override
        {
            return "environment variables: source the file before the job starts";
        }
        std::string_view fileName() const override { return "bytescheduler.sh"; }
        BucketForm bucketForm() const override { return BucketForm::None; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            file.text = commentLines(request.comments, "#");
            const auto schedule = values.lookText("schedule");
            const bool isSaid = !schedule || sendsInForwardOrder(*schedule);
            if (schedule && isSaid)
                values.takeText("schedule");
            values.leaveOut("schedule", "it sends in the order of the layers.");
            const SentPartitions sent = isSaid
                ? takePartitions(values, request, file)
                : SentPartitions { values.take("partition_bytes"), values.take("credit_bytes") };
            if (sent.bytes)
                writeSizes(sent, parameterBytes(request.job), file);
            values.close(file);
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &job) const override
        {
            Strategy strategy;
            const auto partition = assignedNumber(text, PartitionVariable);
            if (!partition)
                return strategy;
            const double each = parameterBytes(job);
            strategy.set({ "schedule", std::string("p3") });
            strategy.set({ "partition_bytes", *partition * each });
            strategy.set({ "credit_bytes",
                           assignedNumber(text, CreditVariable).value_or(OwnCredit) * each });
            return strategy;
        }

    private:
        static void writeSizes(const SentPartitions &sent, double each, ConfigFile &file)
        {
            const auto parameters = [&](const char *key, double wanted) {
                const double whole = std::max(1.0, std::round(wanted / each));
                if (whole * each != wanted)
                    file.leftOut.push_back(std::string(key) + "=" + configNumber(wanted)
                                           + ": sizes are whole parameters; " + configNumber(whole)
                                           + " are written.");
                return whole;
            };
            file.text += "export USE_BYTESCHEDULER=1\n";
            file.text += assignment(PartitionVariable, parameters("partition_bytes", *sent.bytes));
            file.text += assignment(CreditVariable,
                                    sent.creditBytes ? parameters("credit_bytes", *sent.creditBytes)
                                                     : OwnCredit);
            file.text += "export BYTESCHEDULER_CREDIT_TUNING=0\n"
                         "export BYTESCHEDULER_PARTITION_TUNING=0\n";
            if (!sent.creditBytes)
                file.leftOut.push_back("no credit: ByteScheduler always keeps one. Its own of "
                                       + configNumber(OwnCredit) + " parameters is written.");
            file.notes.push_back("Sizes are numbers of parameters of " + configNumber(each)
                                 + " bytes.");
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> byteschedulerTarget()
{
    return std::make_unique<ByteschedulerTarget>();
}

} // namespace core
