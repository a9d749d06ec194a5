#include "core/model/job_reductions.h"

#include "core/base/duration_text.h"
#include "core/base/median_ns.h"
#include "core/base/saturated_time.h"
#include "core/model/recording_times.h"
#include "core/model/slice_index.h"
#include "core/model/step_marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace core {

namespace {

    /// Calls from which a rank's are compared.
    constexpr std::size_t EnoughCalls = 2;
    /// What all ranks of a group call in each step of training. Others (broadcast, barrier) come
    /// once, and one rank may have begun to record after that.
    constexpr std::array<std::string_view, 3> StepKinds
        = { "all_reduce", "all_gather", "reduce_scatter" };
    /// Steps from which their length is known well enough to be compared.
    constexpr std::size_t EnoughPeriods = 3;

    class GroupsOfAll
    {
    public:
        explicit GroupsOfAll(const Trace &trace)
            : m_trace(trace)
            , m_areApart(recordingRuns(trace).size() > 1 && !hasMessages(trace))
        {
        }

        bool contains(const CollectiveCall &call) const
        {
            const std::optional<int> &all = m_trace.workers[call.worker.value].worldSize;
            return call.groupSize ? call.groupSize == all : m_areApart || all == 2;
        }

        /// Of calls that state it.
        bool isStated(const CollectiveCall &call) const
        {
            return call.groupSize && call.groupSize == m_trace.workers[call.worker.value].worldSize;
        }

    private:
        static bool hasMessages(const Trace &trace)
        {
            return !trace.transfers.empty()
                || std::any_of(trace.collectives.begin(), trace.collectives.end(),
                               [](const CollectiveCall &call) {
                                   return call.kind == "send" || call.kind == "recv";
                               });
        }

        const Trace &m_trace;
        bool m_areApart;
    };

    /// How long the step of a rank takes, by calls of one size.
    struct Pace
    {
        std::int64_t periodNs = 0;
        std::size_t periods = 0;
    };

    std::size_t callsPerStep(const JobReductions &rank, const std::vector<std::int64_t> &endsNs)
    {
        const double perStep = static_cast<double>(endsNs.size()) / static_cast<double>(rank.steps);
        return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(perStep)));
    }

    std::optional<Pace> paceOf(const std::vector<std::int64_t> &endsNs, std::size_t callsPerStep)
    {
        std::vector<std::int64_t> periodsNs;
        for (std::size_t i = callsPerStep; i < endsNs.size(); ++i)
            periodsNs.push_back(saturatedDifference(endsNs[i], endsNs[i - callsPerStep]));
        const Pace pace { medianNs(periodsNs), (endsNs.size() - 1) / callsPerStep };
        return pace.periods < EnoughPeriods ? std::nullopt : std::optional(pace);
    }

    /// Whether, with any call of one beside any of the other, the ends of at least half of the
    /// calls of the one that has fewer move apart by more than `mostNs`.
    bool partForEveryShift(const std::vector<std::int64_t> &a, const std::vector<std::int64_t> &b,
                           std::int64_t mostNs)
    {
        const auto n = static_cast<std::int64_t>(a.size()), m = static_cast<std::int64_t>(b.size());
        const std::int64_t least = std::max<std::int64_t>(2, std::min(n, m) / 2);
        for (std::int64_t shift = least - m; shift <= n - least; ++shift) {
            const std::int64_t begin = std::max<std::int64_t>(0, -shift);
            const std::int64_t last = std::min(m, n - shift) - 1;
            const auto spanNs
                = [begin, last](const std::vector<std::int64_t> &endsNs, std::int64_t from) {
                      return saturatedDifference(endsNs[static_cast<std::size_t>(from + last)],
                                                 endsNs[static_cast<std::size_t>(from + begin)]);
                  };
            if (std::abs(spanNs(a, shift) - spanNs(b, 0)) <= mostNs)
                return false;
        }
        return true;
    }

    /// Calls of `rank` that have a counterpart of their size.
    std::size_t sharedCalls(const JobReductions &rank, const JobReductions &other)
    {
        std::size_t calls = 0;
        for (const auto &[bytes, endsNs] : rank.endsNs)
            calls += other.endsNs.contains(bytes) ? endsNs.size() : 0;
        return calls;
    }

    /// The steps' lengths by the first size that both reduce, where those of every size contradict
    /// each other.
    std::optional<std::pair<Pace, Pace>> unlikePaces(const JobReductions &a, const JobReductions &b)
    {
        std::optional<std::pair<Pace, Pace>> first;
        if (a.steps == 0 || b.steps == 0)
            return first;
        for (const auto &[bytes, endsNs] : a.endsNs) {
            const auto other = b.endsNs.find(bytes);
            if (other == b.endsNs.end())
                continue;
            const std::size_t perStep = callsPerStep(a, endsNs);
            if (perStep != callsPerStep(b, other->second))
                continue;
            const auto own = paceOf(endsNs, perStep), theirs = paceOf(other->second, perStep);
            if (!own || !theirs)
                continue;
            const std::int64_t stepNs = std::max(own->periodNs, theirs->periodNs);
            const double apartNs = std::abs(static_cast<double>(own->periodNs - theirs->periodNs))
                * static_cast<double>(std::min(own->periods, theirs->periods));
            if (apartNs <= static_cast<double>(stepNs)
                || !partForEveryShift(endsNs, other->second, stepNs / 2))
                return std::nullopt;
            if (!first)
                first = { *own, *theirs };
        }
        return first;
    }

    std::size_t callsOfKinds(const JobReductions &rank)
    {
        std::size_t calls = 0;
        for (const auto &[kind, count] : rank.callsOfKind)
            calls += count;
        return calls;
    }

    bool hasKindsOfSteps(const JobReductions &rank)
    {
        return rank.steps > 0 && callsOfKinds(rank) >= EnoughCalls;
    }

    bool haveNoKindInCommon(const JobReductions &a, const JobReductions &b)
    {
        return hasKindsOfSteps(a) && hasKindsOfSteps(b)
            && std::none_of(a.callsOfKind.begin(), a.callsOfKind.end(), [&b](const auto &entry) {
                   return b.callsOfKind.contains(entry.first);
               });
    }

    /// "all_gather and reduce_scatter".
    std::string kindsText(const JobReductions &rank)
    {
        std::string text;
        for (const auto &[kind, count] : rank.callsOfKind)
            text += (text.empty() ? "" : " and ") + kind;
        return text;
    }

} // namespace

bool JobReductions::isEnough() const
{
    return calls >= EnoughCalls || hasKindsOfSteps(*this);
}

std::vector<JobReductions> jobReductions(const Trace &trace)
{
    std::vector<JobReductions> ranks(trace.workers.size());
    for (const Worker &worker : trace.workers)
        ranks[worker.id.value].worker = worker.id;
    if (hasKnownIterations(trace))
        for (const Iteration &iteration : trace.iterations)
            if (iteration.isWhole)
                ++ranks[iteration.worker.value].steps;
    const GroupsOfAll groups(trace);
    const SliceIndex slices(trace);
    for (const CollectiveCall &call : trace.collectives) {
        if (call.bytes == 0 || !slices.find(call.slice))
            continue;
        JobReductions &rank = ranks[call.worker.value];
        const bool isOfSteps
            = std::find(StepKinds.begin(), StepKinds.end(), call.kind) != StepKinds.end();
        if (isOfSteps && groups.isStated(call))
            ++rank.callsOfKind[call.kind];
        if (call.kind != "all_reduce" || !groups.contains(call))
            continue;
        rank.endsNs[call.bytes].push_back(slices.endNs(call.slice));
        ++rank.calls;
    }
    for (JobReductions &rank : ranks)
        for (auto &entry : rank.endsNs)
            std::sort(entry.second.begin(), entry.second.end());
    return ranks;
}

bool JobComparison::haveNumberedOtherSteps(WorkerId a, WorkerId b)
{
    if (!m_marks)
        m_marks = stepMarks(m_trace);
    const StepMarks &ofA = (*m_marks)[a.value], &ofB = (*m_marks)[b.value];
    return !ofA.empty() && !ofB.empty()
        && std::none_of(ofA.begin(), ofA.end(),
                        [&ofB](const auto &mark) { return ofB.contains(mark.first); });
}

std::string JobComparison::contradiction(const JobReductions &a, const JobReductions &b,
                                         const std::string &ranksOfA, const std::string &ranksOfB)
{
    if (haveNoKindInCommon(a, b))
        return "in their steps " + ranksOfA + " and " + ranksOfB
            + " call no collective of one kind over all ranks (" + kindsText(a) + "; "
            + kindsText(b) + ")";
    if (a.calls < EnoughCalls || b.calls < EnoughCalls)
        return {};
    const std::size_t calls = a.calls + b.calls;
    const std::size_t shared = sharedCalls(a, b) + sharedCalls(b, a);
    if (shared == 0)
        return ranksOfA + " and " + ranksOfB
            + " have no size in common that they reduce over all ranks";
    if (shared * 2 < calls)
        return ranksOfA + " and " + ranksOfB
            + " reduce other sizes over all ranks: " + std::to_string(calls - shared) + " of their "
            + std::to_string(calls) + " all-reduces have none of that size on the other side";
    const auto paces = unlikePaces(a, b);
    if (!paces || haveNumberedOtherSteps(a.worker, b.worker))
        return {};
    return "steps take " + durationText(paces->first.periodNs) + " on " + ranksOfA + " and "
        + durationText(paces->second.periodNs) + " on " + ranksOfB
        + ", but ranks that reduce over all ranks wait for each other in each";
}

} // namespace core
