#include "core/graph/build/contradicted_matches.h"

#include "core/align/clock_evidence.h"
#include "core/base/ranks_text.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace core {

namespace {

    constexpr double LeastToleranceNs = 10'000;
    /// Of clocks whose drift is not known: what quartz may be off by, of two together.
    constexpr double LargestDrift = 100e-6;

    /// Of collectives of one kind on one group.
    struct Kind
    {
        std::string_view name;
        std::string_view group;
        std::uint32_t number = 0; ///< MatchedCollective::group

        auto operator<=>(const Kind &) const = default;
    };

    /// How far a clock may be off. How sure one set by hand is is not known: as far as the ends of
    /// its collectives are apart.
    double unknownNs(const Alignment &clock)
    {
        const bool isSetByHand
            = clock.uncertaintyNs == 0 && !clock.isReference && !clock.isAsRecorded;
        return static_cast<double>(isSetByHand ? clock.residualNs : clock.uncertaintyNs);
    }

    /// How far a worker's clock may be shifted for its part of a match to overlap another one's.
    struct Shifts
    {
        std::size_t match = 0;
        double fromNs = 0, toNs = 0;
    };

    /// Of shifts of at most `mostNs` either way the one that most can have, of equals the least.
    double bestShift(const std::vector<Shifts> &all, double mostNs)
    {
        std::vector<double> candidates { 0 };
        for (const Shifts &one : all)
            for (const double ns : { one.fromNs, one.toNs })
                if (std::abs(ns) <= mostNs)
                    candidates.push_back(ns);
        std::sort(candidates.begin(), candidates.end(),
                  [](double a, double b) { return std::abs(a) < std::abs(b); });
        std::vector<double> starts, ends;
        for (const Shifts &one : all) {
            starts.push_back(one.fromNs);
            ends.push_back(one.toNs);
        }
        std::sort(starts.begin(), starts.end());
        std::sort(ends.begin(), ends.end());
        double best = 0;
        std::ptrdiff_t most = -1;
        for (const double ns : candidates) {
            const std::ptrdiff_t begun
                = std::upper_bound(starts.begin(), starts.end(), ns) - starts.begin();
            const std::ptrdiff_t ended
                = std::lower_bound(ends.begin(), ends.end(), ns) - ends.begin();
            if (begun - ended > most) {
                most = begun - ended;
                best = ns;
            }
        }
        return best;
    }

    /// Finds matches that cannot be one collective: no clocks within what is unknown of them let
    /// all ranks be in it at once, together with most of the others of their kind.
    class ContradictionFinder
    {
    public:
        ContradictionFinder(const Trace &trace, const SliceIndex &slices,
                            const std::vector<MatchedCollective> &matched)
            : m_trace(trace)
            , m_slices(slices)
            , m_matched(matched)
            , m_isWrong(matched.size(), 0)
        {
        }

        Kind kindOf(const MatchedCollective &match) const
        {
            const CollectiveCall &first = m_trace.collectives[match.calls.front()];
            return { first.kind, first.group, match.group };
        }

        bool isJudged(const MatchedCollective &match) const
        {
            return isSynchronising(m_trace.collectives[match.calls.front()].kind)
                && std::any_of(match.calls.begin(), match.calls.end(), [this](std::size_t index) {
                       return !m_trace.collectives[index].sequence;
                   });
        }

        /// By match.
        const std::vector<char> &find()
        {
            std::map<std::pair<Kind, std::pair<WorkerId, WorkerId>>, std::vector<Shifts>> pairs;
            for (std::size_t i = 0; i < m_matched.size(); ++i) {
                if (!isJudged(m_matched[i]))
                    continue;
                const Kind kind = kindOf(m_matched[i]);
                const std::vector<std::size_t> &calls = m_matched[i].calls;
                for (std::size_t k = 1; k < calls.size(); ++k)
                    if (const auto shifts = shiftsOf(i, calls.front(), calls[k]))
                        pairs[{ kind,
                                { m_trace.collectives[calls.front()].worker,
                                  m_trace.collectives[calls[k]].worker } }]
                            .push_back(*shifts);
            }
            for (const auto &[key, shifts] : pairs)
                judge(key.second.first, key.second.second, shifts);
            return m_isWrong;
        }

    private:
        std::optional<TimeRange> rangeOf(std::size_t index) const
        {
            const CollectiveCall &call = m_trace.collectives[index];
            if (!m_slices.find(call.slice))
                return std::nullopt;
            return TimeRange { m_trace.toAligned(call.worker, m_slices.startNs(call.slice)),
                               m_trace.toAligned(call.worker, m_slices.endNs(call.slice)) };
        }

        std::optional<Shifts> shiftsOf(std::size_t match, std::size_t first, std::size_t other)
        {
            const auto a = rangeOf(first), b = rangeOf(other);
            if (!a || !b)
                return std::nullopt;
            m_earliestNs = std::min(m_earliestNs, static_cast<double>(a->startNs));
            m_latestNs = std::max(m_latestNs, static_cast<double>(a->endNs));
            return Shifts { match, static_cast<double>(a->startNs) - static_cast<double>(b->endNs),
                            static_cast<double>(a->endNs) - static_cast<double>(b->startNs) };
        }

        double unknownOf(WorkerId worker) const
        {
            return m_trace.alignment.workers.empty()
                ? 0
                : unknownNs(m_trace.alignment.workers[worker.value]);
        }

        void judge(WorkerId first, WorkerId other, const std::vector<Shifts> &all)
        {
            const double unknown = unknownOf(first) + unknownOf(other);
            const double toleranceNs
                = LeastToleranceNs + std::min(unknown, LargestDrift * (m_latestNs - m_earliestNs));
            const double shiftNs = bestShift(all, unknown);
            for (const Shifts &one : all)
                if (shiftNs < one.fromNs - toleranceNs || shiftNs > one.toNs + toleranceNs)
                    m_isWrong[one.match] = 1;
        }

        const Trace &m_trace;
        const SliceIndex &m_slices;
        const std::vector<MatchedCollective> &m_matched;
        std::vector<char> m_isWrong;
        double m_earliestNs = std::numeric_limits<double>::max();
        double m_latestNs = std::numeric_limits<double>::lowest();
    };

    /// Matches of one kind.
    struct Count
    {
        std::size_t all = 0, impossible = 0;
        std::set<int> ranks; ///< of those that are impossible

        bool areMost() const { return impossible > 0 && 2 * impossible >= all; }
    };

    using Counts = std::map<Kind, Count>;

    /// " of group 'tp'"; with its ranks where others have that name.
    std::string groupText(const Kind &kind, const Count &count, const Counts &counts)
    {
        const bool isOne = std::all_of(counts.begin(), counts.end(), [&kind](const auto &entry) {
            return entry.first.group != kind.group || entry.first.number == kind.number;
        });
        return (kind.group.empty() ? "" : " of group '" + std::string(kind.group) + "'")
            + (isOne ? "" : " of " + ranksText({ count.ranks.begin(), count.ranks.end() }));
    }

    void note(const Counts &counts, std::vector<std::string> &notes)
    {
        for (const auto &[kind, count] : counts)
            if (count.impossible > 0)
                notes.push_back(
                    std::to_string(count.impossible) + " of " + std::to_string(count.all) + " "
                    + std::string(kind.name) + " calls" + groupText(kind, count, counts)
                    + " that the order of calls matches across ranks cannot be one: a rank enters "
                      "after another has left. "
                    + (count.areMost() ? "All" : "These")
                    + " are replayed as recorded. Record with a PyTorch that writes sequence "
                      "numbers (2.3 or newer).");
    }

} // namespace

void removeContradicted(const Trace &trace, const SliceIndex &slices,
                        std::vector<MatchedCollective> &matched, std::vector<std::string> &notes)
{
    ContradictionFinder finder(trace, slices, matched);
    const std::vector<char> &isWrong = finder.find();
    Counts counts;
    for (std::size_t i = 0; i < matched.size(); ++i)
        if (finder.isJudged(matched[i])) {
            Count &count = counts[finder.kindOf(matched[i])];
            ++count.all;
            if (isWrong[i] == 0)
                continue;
            ++count.impossible;
            for (const std::size_t index : matched[i].calls)
                count.ranks.insert(trace.workers[trace.collectives[index].worker.value].rank);
        }
    note(counts, notes);
    std::vector<MatchedCollective> kept;
    for (std::size_t i = 0; i < matched.size(); ++i) {
        const bool isOfWrongKind
            = finder.isJudged(matched[i]) && counts[finder.kindOf(matched[i])].areMost();
        if (!isWrong[i] && !isOfWrongKind)
            kept.push_back(matched[i]);
    }
    matched = std::move(kept);
}

std::vector<MatchedCollective> possibleCollectives(const Trace &trace, const SliceIndex &slices,
                                                   std::vector<std::string> &notes,
                                                   const JobControl &control)
{
    std::vector<MatchedCollective> matched = matchCollectives(trace, notes, control);
    removeContradicted(trace, slices, matched, notes);
    return matched;
}

} // namespace core
