#include "core/analyze/groups/process_groups.h"

#include "core/align/stated_groups.h"
#include "core/analyze/groups/group_calls.h"
#include "core/analyze/groups/step_phases.h"
#include "core/model/phases.h"
#include "core/model/slice_index.h"
#include "core/model/step_marks.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

    /// Rows that a reducer wrote of its buckets, around the backend's own operations: no group.
    constexpr std::string_view BucketRows = "bucket";
    /// Losses, norms, flags and statistics are smaller than what a group is made for.
    constexpr std::uint64_t AsideBytes = 64 * 1024;
    constexpr std::size_t CallsPerCheck = 0x10000; ///< between looks whether the job is cancelled

    /// Tables that TorchRec and others distribute over ranks.
    bool looksUpEmbeddings(const Trace &trace)
    {
        constexpr std::array Parts = { std::string_view("embedding_bag"), std::string_view("KJT"),
                                       std::string_view("sparse_data_dist") };
        return std::any_of(trace.names.begin(), trace.names.end(), [&](const std::string &name) {
            return std::any_of(Parts.begin(), Parts.end(), [&name](std::string_view part) {
                return name.find(part) != std::string::npos;
            });
        });
    }

    /// What is found of a group while the calls go by.
    struct Gathered
    {
        std::string description;
        std::set<WorkerId> workers;
        std::size_t calls = 0;
        GroupCalls all, large; ///< in steps that count; without asides
        GroupCalls outside; ///< of these steps, in one of each rank
        bool hasBackward = false, carriesNamedTensors = false;
    };

    class GroupSearch
    {
    public:
        GroupSearch(const Trace &trace, const JobControl &control)
            : m_trace(trace)
            , m_slices(trace)
            , m_stated(trace)
            , m_hasEmbeddings(looksUpEmbeddings(trace))
            , m_known(trace.workers.size())
        {
            for (const TensorUse &use : trace.tensorUses)
                m_withTensors.insert(use.slice.value);
            for (const CollectiveCall &call : trace.collectives)
                m_hasOwnOps = m_hasOwnOps || call.group != BucketRows;
            m_steps.reserve(trace.workers.size());
            for (const HostRecording &host : hostRecordings(trace)) {
                throwIfCancelled(control);
                m_steps.emplace_back(host);
            }
        }

        /// All calls, before the first is added. Training goes backward through what it went
        /// forward through: what a rank calls behind its last call of the backward pass is not of
        /// the forward pass, although it is launched outside of autograd, too (Megatron's
        /// finalize_model_grads()).
        void look(const CollectiveCall &call)
        {
            const Moment moment = momentOf(call);
            if (moment.phase != Phase::Backward || !moment.step)
                return;
            const auto [last, isNew]
                = m_lastBackwardNs.try_emplace({ call.worker, *moment.step }, moment.startNs);
            if (!isNew)
                last->second = std::max(last->second, moment.startNs);
        }

        void add(const CollectiveCall &call)
        {
            if (call.group == BucketRows && m_hasOwnOps)
                return;
            Gathered &group = gatheredOf(call);
            group.workers.insert(call.worker);
            ++group.calls;
            count(call, group);
        }

        std::vector<ProcessGroup> take() const
        {
            std::vector<ProcessGroup> groups;
            groups.reserve(m_groups.size());
            for (const auto &[key, gathered] : m_groups)
                groups.push_back(groupOf(key, gathered));
            for (ProcessGroup &group : groups)
                if (isOfBuffers(group, groups)) {
                    group.role = GroupRole::Data;
                    group.basis = RoleBasis::Inferred;
                    group.evidence += ": buffers, between the ranks that reduce gradients";
                }
            return groups;
        }

    private:
        using Key = std::tuple<std::string, std::string, std::vector<int>>; ///< name, kind, ranks

        /// A job makes millions of calls, on few groups.
        Gathered &gatheredOf(const CollectiveCall &call)
        {
            auto &known = m_known[call.worker.value];
            const std::string &name = call.group.empty() ? call.kind : call.group;
            auto &ofNamed = call.group.empty() ? known.byKind : known.byName;
            const auto found = ofNamed.find(name);
            if (found != ofNamed.end())
                return *found->second;
            const Worker &worker = m_trace.workers[call.worker.value];
            const StatedGroup *stated = m_stated.find(worker, call.group);
            const Key key { call.group, call.group.empty() ? call.kind : std::string(),
                            stated != nullptr ? stated->ranks : std::vector<int>() };
            Gathered &group = m_groups[key];
            if (stated != nullptr && group.description.empty())
                group.description = stated->description;
            ofNamed.emplace(name, &group);
            return group;
        }

        struct Moment
        {
            Phase phase = Phase::None;
            std::optional<std::size_t> step; ///< StepPhases::countedAt()
            std::int64_t startNs = 0; ///< raw clock
        };

        Moment momentOf(const CollectiveCall &call) const
        {
            const auto place = m_slices.find(call.slice);
            if (!place)
                return {};
            const SliceColumns &slices = m_trace.slices[place->track.value];
            const StepPhases &steps = m_steps[call.worker.value];
            const std::int64_t startNs = slices.startNs[place->row];
            const Phase own = slices.phase[place->row];
            // A device's work begins long after its launch; a backend's soon after the call.
            const bool isDevice = m_trace.tracks[place->track.value].kind == TrackKind::Stream;
            return { own != Phase::None || isDevice ? own : steps.at(startNs),
                     steps.countedAt(startNs, isDevice), startNs };
        }

        bool isBehindBackward(const CollectiveCall &call, const Moment &moment) const
        {
            if (!moment.step)
                return false;
            const auto last = m_lastBackwardNs.find({ call.worker, *moment.step });
            return last != m_lastBackwardNs.end() && moment.startNs > last->second;
        }

        void count(const CollectiveCall &call, Gathered &group) const
        {
            Moment moment = momentOf(call);
            if (moment.phase == Phase::Forward && isBehindBackward(call, moment))
                moment.phase = Phase::Backward;
            group.hasBackward = group.hasBackward || moment.phase == Phase::Backward
                || m_steps[call.worker.value].hasBackward();
            group.carriesNamedTensors = group.carriesNamedTensors
                || (call.kind == "all_reduce" && m_withTensors.contains(call.slice.value));
            if (!moment.step)
                return group.outside.add(call.kind, moment.phase, call.worker, 0);
            group.all.add(call.kind, moment.phase, call.worker, *moment.step);
            const bool isAside = call.bytes > 0 && call.bytes < AsideBytes;
            if (!isAside)
                group.large.add(call.kind, moment.phase, call.worker, *moment.step);
        }

        /// PyTorch's DDP broadcasts a model's buffers before each forward pass. Where groups have
        /// names these calls are on that of the gradients.
        static bool isOfBuffers(const ProcessGroup &group, const std::vector<ProcessGroup> &all)
        {
            return group.name.empty() && group.kind == "broadcast"
                && group.basis == RoleBasis::Unknown
                && std::any_of(all.begin(), all.end(), [&group](const ProcessGroup &other) {
                       return other.kind == "all_reduce" && other.role == GroupRole::Data
                           && other.ranks == group.ranks;
                   });
        }

        ProcessGroup groupOf(const Key &key, const Gathered &gathered) const
        {
            ProcessGroup group;
            std::tie(group.name, group.kind, group.ranks) = key;
            group.description = gathered.description;
            group.calls = gathered.calls;
            group.areRanksStated = !group.ranks.empty();
            if (!group.areRanksStated) {
                for (const WorkerId worker : gathered.workers)
                    group.ranks.push_back(m_trace.workers[worker.value].rank);
                std::sort(group.ranks.begin(), group.ranks.end());
            }
            setRole(gathered, group);
            return group;
        }

        void setRole(const Gathered &gathered, ProcessGroup &group) const
        {
            group.role = statedRole(group.description);
            if (group.role != GroupRole::Unknown) {
                group.basis = RoleBasis::Stated;
                group.evidence = "the trace calls it '" + group.description + "'";
                return;
            }
            const InferredRole inferred = inferredRole(useOf(gathered));
            group.role = inferred.role;
            group.evidence
                = callsText(gathered) + (inferred.meaning.empty() ? "" : ": " + inferred.meaning);
            if (inferred.role != GroupRole::Unknown)
                group.basis = RoleBasis::Inferred;
        }

        std::string callsText(const Gathered &gathered) const
        {
            if (gathered.all.isEmpty())
                return gathered.outside.text(1, " of each rank, outside of the steps that count");
            std::size_t steps = 0;
            for (const WorkerId worker : gathered.workers)
                steps = std::max(steps, m_steps[worker.value].count());
            return gathered.all.text(
                steps, hasKnownIterations(m_trace) ? " a step" : " of each rank in the recording");
        }

        GroupUse useOf(const Gathered &gathered) const
        {
            GroupUse use;
            use.hasBackward = gathered.hasBackward;
            use.carriesNamedTensors = gathered.carriesNamedTensors;
            use.hasEmbeddings = m_hasEmbeddings;
            std::size_t steps = 0;
            for (const WorkerId worker : gathered.workers)
                steps += m_steps[worker.value].count();
            use.perStep = gathered.all.isEmpty()
                ? gathered.outside.means(gathered.workers.size())
                : (gathered.large.isEmpty() ? gathered.all : gathered.large).means(steps);
            return use;
        }

        const Trace &m_trace;
        SliceIndex m_slices;
        StatedGroups m_stated;
        std::set<std::uint64_t> m_withTensors; ///< slices
        std::vector<StepPhases> m_steps; ///< by WorkerId
        bool m_hasEmbeddings;
        bool m_hasOwnOps = false; ///< the backend's operations beside the rows of buckets
        /// By worker and step: when the last call of the backward pass begins; raw clock.
        std::map<std::pair<WorkerId, std::size_t>, std::int64_t> m_lastBackwardNs;
        std::map<Key, Gathered> m_groups;
        struct KnownGroups
        {
            std::unordered_map<std::string, Gathered *> byName;
            std::unordered_map<std::string, Gathered *> byKind; ///< of calls without a name
        };
        std::vector<KnownGroups> m_known; ///< by WorkerId
    };

} // namespace

std::string_view roleBasisName(RoleBasis basis)
{
    switch (basis) {
    case RoleBasis::Stated:
        return "stated";
    case RoleBasis::Inferred:
        return "inferred";
    case RoleBasis::Unknown:
        break;
    }
    return "unknown";
}

std::vector<ProcessGroup> processGroups(const Trace &trace, const JobControl &control)
{
    GroupSearch search(trace, control);
    for (const auto visit : { &GroupSearch::look, &GroupSearch::add })
        for (std::size_t i = 0; i < trace.collectives.size(); ++i) {
            if (i % CallsPerCheck == 0)
                throwIfCancelled(control);
            (search.*visit)(trace.collectives[i]);
        }
    return search.take();
}

bool marksGroupUse(std::string_view sliceName)
{
    NameMeanings meanings([sliceName](NameId) { return sliceName; });
    const NameMeaning meaning = meanings(NameId(0));
    return meaning == NameMeaning::Backward || meaning == NameMeaning::Optimizer;
}

ProcessGroupIndex::ProcessGroupIndex(const std::vector<ProcessGroup> &groups)
{
    for (const ProcessGroup &group : groups) {
        auto &byRank = m_groups[{ group.name, group.kind }];
        for (const int rank : group.ranks)
            byRank.emplace(rank, &group);
    }
}

const ProcessGroup *ProcessGroupIndex::find(const std::string &name, const std::string &kind,
                                            int rank) const
{
    for (const std::string &ofKind : { std::string(), kind }) {
        const auto named = m_groups.find({ name, ofKind });
        if (named == m_groups.end())
            continue;
        const auto found = named->second.find(rank);
        if (found != named->second.end())
            return found->second;
    }
    return nullptr;
}

} // namespace core
