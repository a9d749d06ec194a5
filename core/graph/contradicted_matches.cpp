#include "core/graph/contradicted_matches.h"

#include "core/align/clock_evidence.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace core {

namespace {

    constexpr double LeastToleranceNs = 10'000;

    /// How far a clock may be off. How sure one set by hand is is not known: as far as the ends of
    /// its collectives are apart.
    double unknownNs(const Alignment &clock)
    {
        const bool isSetByHand
            = clock.uncertaintyNs == 0 && !clock.isReference && !clock.isAsRecorded;
        return static_cast<double>(isSetByHand ? clock.residualNs : clock.uncertaintyNs);
    }

    bool isMatchedByOrder(const Trace &trace, const MatchedCollective &match)
    {
        return std::any_of(match.calls.begin(), match.calls.end(), [&trace](std::size_t index) {
            return !trace.collectives[index].sequence;
        });
    }

    bool isImpossible(const Trace &trace, const SliceIndex &slices, const MatchedCollective &match)
    {
        std::int64_t lastStartNs = std::numeric_limits<std::int64_t>::min();
        std::int64_t firstEndNs = std::numeric_limits<std::int64_t>::max();
        double toleranceNs = LeastToleranceNs;
        for (const std::size_t index : match.calls) {
            const CollectiveCall &call = trace.collectives[index];
            if (!slices.find(call.slice))
                continue;
            lastStartNs
                = std::max(lastStartNs, trace.toAligned(call.worker, slices.startNs(call.slice)));
            firstEndNs
                = std::min(firstEndNs, trace.toAligned(call.worker, slices.endNs(call.slice)));
            if (!trace.alignment.workers.empty())
                toleranceNs += unknownNs(trace.alignment.workers[call.worker.value]);
        }
        return static_cast<double>(lastStartNs) - static_cast<double>(firstEndNs) > toleranceNs;
    }

} // namespace

void removeContradicted(const Trace &trace, const SliceIndex &slices,
                        std::vector<MatchedCollective> &matched, std::vector<std::string> &notes)
{
    using Kind = std::pair<std::string_view, std::string_view>; // kind, group
    struct Count
    {
        std::size_t all = 0, impossible = 0;
    };
    std::map<Kind, Count> counts;
    std::vector<char> isWrong(matched.size(), 0);
    const auto kindOf = [&trace](const MatchedCollective &match) {
        const CollectiveCall &first = trace.collectives[match.calls.front()];
        return Kind { first.kind, first.group };
    };
    for (std::size_t i = 0; i < matched.size(); ++i) {
        if (!isMatchedByOrder(trace, matched[i])
            || !isSynchronising(trace.collectives[matched[i].calls.front()].kind))
            continue;
        Count &count = counts[kindOf(matched[i])];
        ++count.all;
        isWrong[i] = isImpossible(trace, slices, matched[i]) ? 1 : 0;
        count.impossible += isWrong[i] ? 1U : 0U;
    }
    for (const auto &[kind, count] : counts)
        if (count.impossible > 0)
            notes.push_back(
                std::to_string(count.impossible) + " of " + std::to_string(count.all) + " "
                + std::string(kind.first) + " calls"
                + (kind.second.empty() ? "" : " of group '" + std::string(kind.second) + "'")
                + " that the order of calls matches across ranks cannot be one: a rank enters "
                  "after another has left. "
                + (2 * count.impossible >= count.all ? "All" : "These")
                + " are replayed as recorded. Record with a PyTorch that writes sequence numbers "
                  "(2.3 or newer).");
    std::vector<MatchedCollective> kept;
    for (std::size_t i = 0; i < matched.size(); ++i) {
        const auto count = counts.find(kindOf(matched[i]));
        const bool isOfWrongKind = count != counts.end() && isMatchedByOrder(trace, matched[i])
            && count->second.impossible > 0 && 2 * count->second.impossible >= count->second.all;
        if (!isWrong[i] && !isOfWrongKind)
            kept.push_back(std::move(matched[i]));
    }
    matched = std::move(kept);
}

} // namespace core
