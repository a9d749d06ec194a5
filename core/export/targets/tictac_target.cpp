#include "core/export/targets/tictac_target.h"

#include "core/base/error.h"
#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/repartition.h"
#include "core/change/gradients/schedule.h"
#include "core/change/plans/plan_list.h"
#include "core/export/config_values.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace core {

namespace {

    using Priorities = std::vector<std::int32_t>; ///< by tensor, in the order of readiness

    /// 0 .. n - 1: the place of each when sorted; those that are alike share the first one's.
    Priorities normalised(const Priorities &priorities)
    {
        Priorities sorted = priorities;
        std::sort(sorted.begin(), sorted.end());
        Priorities places;
        places.reserve(priorities.size());
        for (const std::int32_t priority : priorities)
            places.push_back(static_cast<std::int32_t>(
                std::lower_bound(sorted.begin(), sorted.end(), priority) - sorted.begin()));
        return places;
    }

    /// Empty where tensors do not travel by themselves, each with one priority.
    std::optional<Priorities> prioritiesOf(const GradientPlan &plan, std::size_t tensors)
    {
        if (!plan.isByPriority || plan.iterations.empty())
            return std::nullopt;
        Priorities priorities(tensors, 0);
        for (const GradientGroup &group : plan.iterations.begin()->second) {
            if (group.tensorCount != 1 || group.firstTensor >= tensors || !group.pieces.empty()
                || group.isInHalves)
                return std::nullopt;
            priorities[group.firstTensor] = group.priority;
        }
        return normalised(priorities);
    }

    /// By the plan of a schedule. An order by chance is none to write down.
    std::optional<Priorities> prioritiesOf(const MeasuredJob &job, Schedule schedule)
    {
        const std::size_t tensors = tensorBytesOf(job).size();
        if (tensors == 0 || schedule == Schedule::Random || !traitsOf(schedule).isByPriority
            || !traitsOf(schedule).isByTensor || isSentInPartitions(job.graph)
            || partitioningObstacle(job.graph))
            return std::nullopt;
        const std::shared_ptr<const Graph> graph(std::shared_ptr<void>(), &job.graph);
        const OtherChanges none;
        PartitionChanges changes;
        changes.schedule = schedule;
        return prioritiesOf(
            planOf(schedule, { graph, job.trace, job.links, partitionLimits(changes), 0, none, {} })
                .plan,
            tensors);
    }

    /// Lines "<tensor>\t<priority>"; throws Error at others.
    std::map<std::string, std::int32_t> listedPriorities(const std::string &text)
    {
        std::map<std::string, std::int32_t> listed;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t tab = line.rfind('\t');
            std::int32_t priority = 0;
            const char *const end = line.data() + line.size();
            if (tab == std::string::npos
                || std::from_chars(line.data() + tab + 1, end, priority).ptr != end)
                throw Error("The exported priorities have no tensor and number in line "
                            + std::to_string(listed.size() + 1) + ".");
            listed[line.substr(0, tab)] = priority;
        }
        return listed;
    }

    /// Hashemi et al., MLSys 2019, as in xldrx/tictac (tictac/common.py, OrderingPostProcesser):
    /// lines "<tensor>\t<priority>" by priority, then name; lower is sent first; tensors that are
    /// alike share a number. Its TensorFlow sends whole tensors.
    class TictacTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "tictac"; }
        std::string_view meaning() const override
        {
            return "priorities of tensors for TicTac's TensorFlow";
        }
        std::string_view fileName() const override { return "priorities.txt"; }
        BucketForm bucketForm() const override { return BucketForm::None; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            const std::vector<std::string> names = tensorNamesOf(request.job);
            const auto schedule = scheduleNamed(values.lookText("schedule").value_or(""));
            const auto priorities = schedule ? prioritiesOf(request.job, *schedule) : std::nullopt;
            if (names.empty()) {
                values.leaveOut("schedule",
                                "the names of the job's tensors are not known. State "
                                "them in meta.json.");
            } else if (!priorities) {
                values.leaveOut("schedule", "it gives no tensor a priority of its own.");
            } else {
                values.takeText("schedule");
                file.text = linesOf(names, *priorities);
                file.notes.push_back("Names are those of the recorded job.");
                if (*schedule == Schedule::Tac)
                    file.notes.push_back(
                        "An operation's time is the least of the recorded iterations, as in TAC's "
                        "paper (section 5). A tensor's is that of an all-reduce on the recorded "
                        "links: what else the strategy changes is not in the order.");
            }
            for (const char *key : { "partition_bytes", "credit_bytes" })
                values.leaveOut(key, "TicTac sends whole tensors, one at a time.");
            values.close(file);
            return file;
        }

        /// The first schedule that sends tensors in this order, whole.
        Strategy read(const std::string &text, const MeasuredJob &job) const override
        {
            Strategy strategy;
            const auto listed = listedPriorities(text);
            if (listed.empty())
                return strategy;
            Priorities priorities;
            for (const std::string &name : tensorNamesOf(job))
                if (const auto found = listed.find(name); found != listed.end())
                    priorities.push_back(found->second);
            for (const ScheduleTraits &traits : scheduleTraits())
                if (prioritiesOf(job, traits.schedule) == priorities) {
                    strategy.set({ "schedule", std::string(traits.name) });
                    if (traits.partitionBytes != WholeTensors) {
                        strategy.set({ "partition_bytes", static_cast<double>(WholeTensors) });
                        strategy.set({ "credit_bytes", static_cast<double>(OneAtATime) });
                    }
                    return strategy;
                }
            throw Error("The exported priorities are those of no schedule.");
        }

    private:
        static std::string linesOf(const std::vector<std::string> &names,
                                   const Priorities &priorities)
        {
            std::vector<std::pair<std::int32_t, std::string>> lines;
            lines.reserve(names.size());
            for (std::size_t i = 0; i < names.size(); ++i)
                lines.emplace_back(priorities[i], names[i]);
            std::sort(lines.begin(), lines.end());
            std::string text;
            for (const auto &[priority, name] : lines)
                text += name + "\t" + std::to_string(priority) + "\n";
            return text;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> tictacTarget()
{
    return std::make_unique<TictacTarget>();
}

} // namespace core
