#include "core/align/align.h"
#include "core/align/sequence_matching.h"
#include "core/align/stated_groups.h"
#include "core/align/step_windows.h"
#include "core/base/ranks_text.h"
#include "core/model/slice_index.h"
#include "core/model/world_size.h"

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace core {

namespace {

    /// Calls that a rank's peers may record with other sizes: size does not tell them apart.
    constexpr std::array<std::string_view, 5> UnevenKinds
        = { "all_to_all", "send_recv", "gather", "scatter", "all_to_allv" };
    /// Messages between two ranks, of which there is no instance that a whole group takes part in.
    constexpr std::array<std::string_view, 4> PointToPointKinds
        = { "send", "recv", "push", "pull" };

    template <class List>
    bool contains(const List &list, std::string_view text)
    {
        return std::find(list.begin(), list.end(), text) != list.end();
    }

    /// A call with what matching looks at.
    struct Call
    {
        std::size_t index = 0; ///< into trace.collectives
        const CollectiveCall *call = nullptr;
        std::string_view kindClass; ///< calls of one class are interchangeable
        TimedCall time;
    };

    using CallsByWorker = std::map<WorkerId, std::vector<Call>>;

    struct Group
    {
        std::string name;
        std::vector<int> ranks; ///< where other ranks have another group of that name; else empty

        auto operator<=>(const Group &) const = default;
    };

    std::string groupText(const Group &group)
    {
        if (group.name.empty())
            return "the default group";
        return "group '" + group.name + "'"
            + (group.ranks.empty() ? "" : " of " + ranksText(group.ranks));
    }

    std::string callsText(std::size_t count, const std::string &kind)
    {
        return std::to_string(count) + " " + kind + (count == 1 ? " call" : " calls");
    }

    /// Rows that a communication hook writes by hand beside the backend's own record of the same
    /// transfer would count it twice: a worker that has `gloo:` records keeps only these.
    std::vector<bool> isRepeatedRow(const Trace &trace, const SliceIndex &slices)
    {
        const auto isBackendRecord
            = [](const std::string &name) { return name.starts_with("gloo:"); };
        std::set<std::pair<WorkerId, std::string>> hasBackendRecord;
        for (const CollectiveCall &call : trace.collectives)
            if (slices.find(call.slice) && isBackendRecord(slices.name(call.slice)))
                hasBackendRecord.emplace(call.worker, call.kind);
        std::vector<bool> isRepeated(trace.collectives.size(), false);
        for (std::size_t i = 0; i < trace.collectives.size(); ++i) {
            const CollectiveCall &call = trace.collectives[i];
            isRepeated[i] = slices.find(call.slice) && !isBackendRecord(slices.name(call.slice))
                && slices.category(call.slice) == Category::CommOp
                && hasBackendRecord.count({ call.worker, call.kind }) > 0;
        }
        return isRepeated;
    }

    /// Sorted.
    std::vector<std::uint64_t> slicesOfMessages(const Trace &trace)
    {
        std::vector<std::uint64_t> slices;
        slices.reserve(trace.transfers.size());
        for (const TransferCall &call : trace.transfers)
            slices.push_back(call.slice.value);
        std::sort(slices.begin(), slices.end());
        return slices;
    }

    class CollectiveMatcher
    {
    public:
        CollectiveMatcher(const Trace &trace, std::vector<std::string> &notes,
                          const JobControl &control)
            : m_trace(trace)
            , m_slices(trace)
            , m_windows(trace)
            , m_notes(notes)
            , m_control(control)
        {
        }

        std::vector<MatchedCollective> match()
        {
            const auto groups = callsByGroup();
            std::size_t done = 0;
            for (const auto &[group, byWorker] : groups) {
                throwIfCancelled(m_control);
                m_control.report(static_cast<double>(done++) / static_cast<double>(groups.size()),
                                 "matching collectives");
                matchGroup(group, byWorker);
            }
            return std::move(m_matched);
        }

    private:
        /// Workers of another job: no call of theirs is one of the others', though the groups have
        /// the same names.
        std::vector<bool> foreignWorkers()
        {
            const std::optional<int> worldSize = statedWorldSize(m_trace);
            std::vector<bool> isForeign;
            for (const Worker &worker : m_trace.workers) {
                isForeign.push_back(isOfOtherJob(worker, worldSize));
                if (isForeign.back())
                    m_notes.push_back("Rank " + std::to_string(worker.rank) + " states a job of "
                                      + std::to_string(*worker.worldSize) + " ranks, others one of "
                                      + std::to_string(*worldSize)
                                      + ": its collectives are matched with none.");
            }
            return isForeign;
        }

        /// Calls of each group by worker, in order of their start: two all-reduces that run at once
        /// may end in any order, but they are handed over in the order of the program.
        std::map<Group, CallsByWorker> callsByGroup()
        {
            const std::vector<bool> isRepeated = isRepeatedRow(m_trace, m_slices);
            const std::vector<bool> isForeign = foreignWorkers();
            std::map<std::string, CallsByWorker> groups;
            std::map<std::string, std::size_t> pointToPoint;
            const std::vector<std::uint64_t> messages = slicesOfMessages(m_trace);
            for (std::size_t i = 0; i < m_trace.collectives.size(); ++i) {
                const CollectiveCall &call = m_trace.collectives[i];
                if (isRepeated[i] || isForeign[call.worker.value] || !m_slices.find(call.slice))
                    continue;
                if (contains(PointToPointKinds, call.kind)) {
                    // What states its peer is a message: matchMessages() tells of its other end.
                    pointToPoint[call.kind]
                        += std::binary_search(messages.begin(), messages.end(), call.slice.value)
                        ? 0
                        : 1;
                    continue;
                }
                groups[call.group][call.worker].push_back(
                    { i,
                      &call,
                      *m_classes.insert(classOf(call)).first,
                      { i, m_slices.startNs(call.slice), m_slices.endNs(call.slice) } });
            }
            for (const auto &[kind, count] : pointToPoint)
                if (count > 0)
                    m_notes.push_back(callsText(count, kind)
                                      + ": point-to-point messages are not matched across ranks.");
            for (auto &group : groups)
                for (auto &worker : group.second)
                    std::stable_sort(worker.second.begin(), worker.second.end(),
                                     [](const Call &a, const Call &b) {
                                         return a.time.startNs < b.time.startNs;
                                     });
            return byStatedRanks(std::move(groups));
        }

        /// Groups that divide the ranks may all have one name (PyTorch's split_group()): those of
        /// which every rank states the members, and none is in two.
        std::map<Group, CallsByWorker>
        byStatedRanks(std::map<std::string, CallsByWorker> &&groups) const
        {
            const StatedGroups stated(m_trace);
            std::map<Group, CallsByWorker> result;
            for (auto &[name, byWorker] : groups) {
                throwIfCancelled(m_control);
                const std::vector<std::vector<int>> ranks = statedRanks(stated, name, byWorker);
                std::size_t next = 0;
                for (auto &[id, calls] : byWorker)
                    result[{ name, ranks.empty() ? std::vector<int>() : ranks[next++] }].emplace(
                        id, std::move(calls));
            }
            return result;
        }

        /// Of each worker's group; empty where all are in one, or that is not told.
        std::vector<std::vector<int>> statedRanks(const StatedGroups &stated,
                                                  const std::string &name,
                                                  const CallsByWorker &byWorker) const
        {
            std::vector<std::vector<int>> ranks;
            for (const auto &[id, calls] : byWorker) {
                const Worker &worker = m_trace.workers[id.value];
                const StatedGroup *group = stated.find(worker, name);
                if (group == nullptr
                    || !std::binary_search(group->ranks.begin(), group->ranks.end(), worker.rank))
                    return {};
                ranks.push_back(group->ranks);
            }
            const std::set<std::vector<int>> different(ranks.begin(), ranks.end());
            std::set<int> members;
            for (const std::vector<int> &group : different)
                for (const int rank : group)
                    if (!members.insert(rank).second)
                        return {};
            return different.size() > 1 ? ranks : std::vector<std::vector<int>>();
        }

        void matchGroup(const Group &group, const CallsByWorker &byWorker)
        {
            if (byWorker.size() < 2) {
                noteAlone(group, byWorker);
                return;
            }
            std::vector<MatchedCollective> instances;
            if (hasSequences(byWorker))
                instances = matchBySequence(byWorker);
            if (instances.empty()) {
                instances = matchByOrder(byWorker);
                numberInOrder(instances);
            }
            noteUnmatched(group, byWorker, instances);
            for (MatchedCollective &instance : instances)
                instance.group = m_groups;
            ++m_groups;
            std::move(instances.begin(), instances.end(), std::back_inserter(m_matched));
        }

        static bool hasSequences(const CallsByWorker &byWorker)
        {
            return std::all_of(byWorker.begin(), byWorker.end(), [](const auto &worker) {
                return std::all_of(worker.second.begin(), worker.second.end(),
                                   [](const Call &c) { return c.call->sequence.has_value(); });
            });
        }

        /// Instances by (kind, number on the group, how often that number came before).
        static std::vector<MatchedCollective> matchBySequence(const CallsByWorker &byWorker)
        {
            using Key = std::tuple<std::uint64_t, std::string, std::size_t>;
            std::map<Key, MatchedCollective> byKey;
            for (const auto &worker : byWorker) {
                std::map<std::pair<std::uint64_t, std::string>, std::size_t> seen;
                for (const Call &c : worker.second) {
                    const std::size_t turn = seen[{ *c.call->sequence, c.call->kind }]++;
                    MatchedCollective &instance
                        = byKey[Key { *c.call->sequence, c.call->kind, turn }];
                    instance.sequence = *c.call->sequence;
                    instance.calls.push_back(c.index);
                }
            }
            std::vector<MatchedCollective> complete;
            for (auto &entry : byKey)
                if (entry.second.calls.size() == byWorker.size())
                    complete.push_back(std::move(entry.second));
            return complete;
        }

        /// Matches every worker's calls with those of the worker that has the most of them, and
        /// keeps the instances that every worker takes part in.
        std::vector<MatchedCollective> matchByOrder(const CallsByWorker &byWorker) const
        {
            const auto most = std::max_element(
                byWorker.begin(), byWorker.end(),
                [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); });
            std::map<std::size_t, MatchedCollective> byReferenceCall;
            const Sequences ofMost = sequences(most->second);
            for (const auto &worker : byWorker) {
                throwIfCancelled(m_control);
                if (worker.first == most->first) {
                    for (const Call &c : worker.second)
                        byReferenceCall[c.index].calls.push_back(c.index);
                    continue;
                }
                std::vector<CallSequence> reference, own;
                for (auto &[name, calls] : sequences(worker.second))
                    if (const auto same = ofMost.find(name); same != ofMost.end()) {
                        reference.push_back(same->second);
                        own.push_back(std::move(calls));
                    }
                const auto rows
                    = matchSequences(reference, own, m_windows.between(most->first, worker.first));
                for (std::size_t k = 0; k < own.size(); ++k)
                    for (std::size_t i = 0; i < own[k].size(); ++i)
                        if (rows[k][i])
                            byReferenceCall[reference[k][*rows[k][i]].call].calls.push_back(
                                own[k][i].call);
            }
            std::vector<MatchedCollective> complete;
            for (const Call &c : most->second)
                if (byReferenceCall[c.index].calls.size() == byWorker.size())
                    complete.push_back(std::move(byReferenceCall[c.index]));
            return complete;
        }

        /// What makes calls interchangeable: kind and, where it is the same on all ranks, size.
        /// Rows that a reducer wrote by hand name their tensor and slice.
        std::string classOf(const CollectiveCall &call) const
        {
            const std::string &name = m_slices.name(call.slice);
            if (m_slices.category(call.slice) == Category::CommOp
                && name.find(':') == std::string::npos)
                return name;
            return contains(UnevenKinds, call.kind) ? call.kind
                                                    : call.kind + " " + std::to_string(call.bytes);
        }

        using Sequences = std::map<std::string_view, CallSequence>; ///< by class

        static Sequences sequences(const std::vector<Call> &calls)
        {
            Sequences result;
            for (const Call &c : calls)
                result[c.kindClass].push_back(c.time);
            return result;
        }

        static void numberInOrder(std::vector<MatchedCollective> &instances)
        {
            for (std::size_t i = 0; i < instances.size(); ++i)
                instances[i].sequence = i;
        }

        void noteAlone(const Group &group, const CallsByWorker &byWorker)
        {
            const auto &only = *byWorker.begin();
            m_notes.push_back("Only rank " + rankText(only.first) + " has calls on "
                              + groupText(group) + " (" + std::to_string(only.second.size())
                              + "): waiting cannot be told from transfer there.");
        }

        void noteUnmatched(const Group &group, const CallsByWorker &byWorker,
                           const std::vector<MatchedCollective> &instances)
        {
            std::set<std::size_t> matched;
            for (const MatchedCollective &instance : instances)
                matched.insert(instance.calls.begin(), instance.calls.end());
            for (const auto &worker : byWorker) {
                std::map<std::string, std::vector<const Call *>> leftOut;
                for (const Call &c : worker.second)
                    if (matched.count(c.index) == 0)
                        leftOut[c.call->kind].push_back(&c);
                for (const auto &[kind, calls] : leftOut)
                    m_notes.push_back(
                        "Rank " + rankText(worker.first) + ": " + callsText(calls.size(), kind)
                        + " of " + std::to_string(worker.second.size()) + " on " + groupText(group)
                        + (calls.size() == 1 ? " has no match on every rank and is"
                                             : " have no match on every rank and are")
                        + " left out; first: '" + m_slices.name(calls.front()->call->slice) + "'.");
            }
        }

        std::string rankText(WorkerId worker) const
        {
            return std::to_string(m_trace.workers[worker.value].rank);
        }

        const Trace &m_trace;
        SliceIndex m_slices;
        StepWindows m_windows;
        std::vector<std::string> &m_notes;
        const JobControl &m_control;
        std::set<std::string> m_classes; ///< of all calls
        std::uint32_t m_groups = 0; ///< that are matched
        std::vector<MatchedCollective> m_matched;
    };

} // namespace

std::vector<MatchedCollective> matchCollectives(const Trace &trace, std::vector<std::string> &notes,
                                                const JobControl &control)
{
    return CollectiveMatcher(trace, notes, control).match();
}

} // namespace core
