#include "core/align/clock_bounds.h"

#include "core/align/pair_map.h"
#include "core/align/visit_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace core {

namespace {

    constexpr double IgnoredFraction = 0.02; ///< of a pair's collectives: outliers
    constexpr double SlackTickNs = 100; ///< the slack is found to this
    constexpr int MostSweeps = 100;
    constexpr double SettledShiftNs = 100;
    constexpr double Infinite = std::numeric_limits<double>::infinity();

    std::size_t outliersOf(std::size_t count, bool mayHaveOutliers)
    {
        return mayHaveOutliers
            ? static_cast<std::size_t>(IgnoredFraction * static_cast<double>(count))
            : 0;
    }

    /// The smallest of a pair's values: all of them take fifty times the room where there are
    /// many, and most of the time goes by waiting for it.
    class LowValues
    {
    public:
        /// `most` are kept, which is enough for outliersOf(all that are added).
        void add(double value, std::size_t most)
        {
            ++m_count;
            if (m_heap.size() == most) {
                if (value >= m_heap.front())
                    return;
                std::pop_heap(m_heap.begin(), m_heap.end());
                m_heap.pop_back();
            }
            m_heap.push_back(value);
            std::push_heap(m_heap.begin(), m_heap.end());
        }

        /// The smallest value but for a few outliers.
        double bound(bool mayHaveOutliers) const
        {
            std::vector<double> sorted = m_heap;
            std::sort_heap(sorted.begin(), sorted.end());
            return sorted[outliersOf(m_count, mayHaveOutliers)];
        }

    private:
        std::vector<double> m_heap; ///< the largest of those that are kept first
        std::size_t m_count = 0;
    };

    /// One participant of a collective with its clock aligned.
    struct AlignedPart
    {
        std::size_t worker = 0;
        double startNs = 0, endNs = 0;
    };

    /// Bellman-Ford from x = 0: the largest feasible x <= 0, or nothing if a cycle of bounds
    /// contradicts itself.
    std::optional<std::vector<double>> feasible(const std::vector<ClockBound> &bounds,
                                                std::size_t workers, double slack,
                                                const JobControl &control)
    {
        std::vector<double> x(workers, 0);
        for (std::size_t round = 0; round <= workers; ++round) {
            throwIfCancelled(control);
            bool isChanged = false;
            for (const ClockBound &bound : bounds)
                if (x[bound.i] > x[bound.j] + bound.boundNs + slack + 1e-6) {
                    x[bound.i] = x[bound.j] + bound.boundNs + slack;
                    isChanged = true;
                }
            if (!isChanged)
                return x;
        }
        return std::nullopt;
    }

    /// The smallest slack with which the bounds can be met, and a point that does.
    BoundedShift smallestSlack(const std::vector<ClockBound> &bounds, std::size_t workers,
                               const JobControl &control)
    {
        if (auto x = feasible(bounds, workers, 0, control))
            return { std::move(*x), 0 };
        double low = 0, high = 1;
        for (const ClockBound &bound : bounds)
            high = std::max(high, -bound.boundNs);
        while (high - low > std::max(SlackTickNs, 1e-6 * high)) {
            const double middle = (low + high) / 2;
            (feasible(bounds, workers, middle, control) ? high : low) = middle;
        }
        auto x = feasible(bounds, workers, high, control);
        return { x ? std::move(*x) : std::vector<double>(workers, 0), high };
    }

    /// Moves every worker but the reference towards 0 as far as the bounds let it.
    void goBack(BoundedShift &shift, const std::vector<ClockBound> &bounds, std::size_t reference)
    {
        std::vector<double> &x = shift.shiftNs;
        std::vector<std::vector<const ClockBound *>> boundsOf(x.size());
        for (const ClockBound &bound : bounds) {
            boundsOf[bound.i].push_back(&bound);
            boundsOf[bound.j].push_back(&bound);
        }
        double movedNs = Infinite;
        for (int sweep = 0; sweep < MostSweeps && movedNs > SettledShiftNs; ++sweep) {
            movedNs = 0;
            for (std::size_t w = 0; w < x.size(); ++w) {
                double lower = -Infinite, upper = Infinite;
                for (const ClockBound *bound : boundsOf[w]) {
                    const double room = bound->boundNs + shift.slackNs;
                    if (bound->i == w)
                        upper = std::min(upper, x[bound->j] + room);
                    else
                        lower = std::max(lower, x[bound->i] - room);
                }
                if (w == reference || lower > upper)
                    continue;
                const double before = std::exchange(x[w], std::clamp(0.0, lower, upper));
                movedNs = std::max(movedNs, std::abs(x[w] - before));
            }
        }
    }

} // namespace

std::vector<ClockBound> clockBounds(const ClockEvidence &evidence, const AlignedTime &aligned,
                                    const std::vector<bool> &isKnown, bool mayHaveOutliers,
                                    const JobControl &control)
{
    PairMap<LowValues> collectives;
    const std::size_t most = outliersOf(evidence.collectives.size(), mayHaveOutliers) + 1;
    const auto add = [&](const AlignedPart &enters, const AlignedPart &leaves) {
        collectives(enters.worker, leaves.worker).add(leaves.endNs - enters.startNs, most);
    };
    std::vector<AlignedPart> parts;
    for (const ObservedCollective &collective : evidence.collectives) {
        throwIfCancelled(control);
        collectives.rewind();
        parts.clear();
        for (const ObservedPart &part : collective.parts)
            if (isKnown[part.worker])
                parts.push_back({ part.worker, aligned(part.worker, part.startNs),
                                  aligned(part.worker, part.endNs) });
        visitPairs(parts, [&add](const AlignedPart &a, const AlignedPart &b) {
            add(a, b);
            add(b, a);
        });
    }
    std::map<std::pair<std::size_t, std::size_t>, double> tightest;
    for (const auto &[pair, values] : collectives.byPair())
        tightest[pair] = values.bound(mayHaveOutliers);
    for (const ObservedMessage &message : evidence.messages) {
        const auto &[sent, received] = message;
        if (!isKnown[sent.worker] || !isKnown[received.worker])
            continue;
        const double bound
            = aligned(received.worker, received.endNs) - aligned(sent.worker, sent.startNs);
        const auto [entry, isNew] = tightest.try_emplace({ sent.worker, received.worker }, bound);
        entry->second = std::min(entry->second, bound);
    }
    std::vector<ClockBound> bounds;
    bounds.reserve(tightest.size());
    for (const auto &[pair, bound] : tightest)
        bounds.push_back({ pair.first, pair.second, bound });
    return bounds;
}

BoundedShift satisfyBounds(const std::vector<ClockBound> &bounds, std::size_t workerCount,
                           std::size_t reference, const JobControl &control)
{
    BoundedShift shift = smallestSlack(bounds, workerCount, control);
    const double zero = shift.shiftNs[reference];
    for (double &ns : shift.shiftNs)
        ns -= zero;
    goBack(shift, bounds, reference);
    return shift;
}

std::vector<Reach> reachOf(const std::vector<ClockBound> &bounds, std::size_t workerCount,
                           std::size_t reference)
{
    std::vector<Reach> reach(workerCount, { Infinite, Infinite, false });
    for (const ClockBound &bound : bounds) {
        if (bound.j == reference)
            reach[bound.i].upNs = bound.boundNs;
        if (bound.i == reference)
            reach[bound.j].downNs = bound.boundNs;
    }
    for (Reach &own : reach) {
        own.isContradicted = own.upNs + own.downNs < 0;
        own.upNs = own.isContradicted ? Infinite : std::max(0.0, own.upNs);
        own.downNs = own.isContradicted ? Infinite : std::max(0.0, own.downNs);
    }
    return reach;
}

} // namespace core
