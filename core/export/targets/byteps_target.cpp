#include "core/export/targets/byteps_target.h"

#include "core/export/config_values.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    constexpr std::string_view PartitionName = "BYTEPS_PARTITION_BYTES",
                               CreditName = "BYTEPS_SCHEDULING_CREDIT";

    class BytepsTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "byteps"; }
        std::string_view meaning() const override
        {
            return "environment variables: source the file before bpslaunch";
        }
        std::string_view fileName() const override { return "byteps.sh"; }
        BucketForm bucketForm() const override { return BucketForm::None; }

        /// Its credit counts partitions (byteps/common/scheduled_queue.cc). Order by priority is
        /// what it does with a credit; without one it sends in the order of readiness.
        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            file.text = commentLines(request.comments, "#");
            const auto schedule = values.lookText("schedule");
            const bool isSaid = !schedule || *schedule == "fifo" || sendsInForwardOrder(*schedule);
            if (!isSaid)
                values.leaveOut("credit_bytes",
                                "with a credit BytePS sends in the order of the "
                                "layers.");
            const SentPartitions sent = isSaid
                ? takePartitions(values, request, file)
                : SentPartitions { values.take("partition_bytes"), std::nullopt };
            const auto &[bytes, credit] = sent;
            // BytePS sends by priority with a credit, else in the order of readiness.
            if (schedule && isSaid && sendsInForwardOrder(*schedule) == credit.has_value())
                values.takeText("schedule");
            else
                values.leaveOut("schedule",
                                credit
                                    ? "with a credit BytePS sends in the order of the layers."
                                    : "without a credit BytePS sends in the order of readiness.");
            if (bytes)
                file.text
                    += "export " + std::string(PartitionName) + "=" + configNumber(*bytes) + "\n";
            if (bytes && credit) {
                const double partitions = std::max(1.0, std::round(*credit / *bytes));
                file.text
                    += "export " + std::string(CreditName) + "=" + configNumber(partitions) + "\n";
                if (partitions * *bytes != *credit)
                    file.leftOut.push_back("credit_bytes=" + configNumber(*credit)
                                           + ": a credit counts whole partitions; "
                                           + configNumber(partitions) + " are written.");
            }
            if (bytes)
                file.notes.push_back("BytePS rounds the size up to whole memory pages for each "
                                     "accelerator of a host (byteps/common/global.cc).");
            values.close(file);
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &) const override
        {
            Strategy strategy;
            const auto bytes = assignedNumber(text, PartitionName);
            if (!bytes)
                return strategy;
            strategy.set({ "partition_bytes", *bytes });
            const auto credit = assignedNumber(text, CreditName);
            strategy.set({ "schedule", credit ? "p3" : "fifo" });
            if (credit)
                strategy.set({ "credit_bytes", *credit * *bytes });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> bytepsTarget()
{
    return std::make_unique<BytepsTarget>();
}

} // namespace core
