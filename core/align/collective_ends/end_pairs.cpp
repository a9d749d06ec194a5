#include "core/align/collective_ends/end_pairs.h"

#include "core/align/median.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t AllEndPairsUpTo = 16;

    /// Calls visit(i, j) for the pairs of `count` parts: all of few; of many, each with those that
    /// are 1, 4, 16, ... further, a ring's chords, which tie all together in a few steps.
    template <class Visit>
    void visitPartPairs(std::size_t count, Visit visit)
    {
        if (count <= AllEndPairsUpTo) {
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = i + 1; j < count; ++j)
                    visit(i, j);
            return;
        }
        for (std::size_t step = 1; step < count; step *= 4)
            for (std::size_t i = 0; i + step < count; ++i)
                visit(i, i + step);
    }

    /// Calls visit(pair) for each pair, as one of both sees it.
    template <class Visit>
    void visitEndPairs(const std::vector<JointEnd> &ends, Visit visit)
    {
        const double medianNs = medianDuration(ends);
        for (const JointEnd &end : ends) {
            std::size_t pairs = 0;
            visitPartPairs(end.parts.size(), [&pairs](std::size_t, std::size_t) { ++pairs; });
            const double spread = 1 / std::sqrt(endWeight(end, medianNs));
            const double weight
                = static_cast<double>(end.parts.size() - 1) / static_cast<double>(pairs);
            visitPartPairs(end.parts.size(), [&](std::size_t i, std::size_t j) {
                const JointEnd::Part &a = end.parts[i], &b = end.parts[j];
                visit(EndPair {
                    static_cast<std::uint32_t>(a.worker), static_cast<std::uint32_t>(b.worker),
                    static_cast<std::uint32_t>(end.batch), static_cast<float>(end.timeNs),
                    static_cast<float>(spread), static_cast<float>(weight), a.endNs - b.endNs });
            });
        }
    }

} // namespace

double endWeight(const JointEnd &end, double medianDurationNs)
{
    // Clocks tick in microseconds: the ends of a very short collective agree no better.
    constexpr double ShortestShare = 0.01;
    const double shortestNs = std::max(1.0, ShortestShare * medianDurationNs);
    return medianDurationNs > 0 ? medianDurationNs / std::max(end.durationNs, shortestNs) : 1;
}

double medianDuration(const std::vector<JointEnd> &ends)
{
    std::vector<double> durations;
    durations.reserve(ends.size());
    for (const JointEnd &end : ends)
        durations.push_back(end.durationNs);
    return durations.empty() ? 0 : median(std::move(durations));
}

EndPairs::EndPairs(const std::vector<JointEnd> &ends, std::size_t workerCount)
{
    m_first.assign(workerCount + 1, 0);
    visitEndPairs(ends, [this](const EndPair &pair) {
        ++m_first[pair.own + 1];
        ++m_first[pair.other + 1];
    });
    std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
    m_pairs.resize(m_first.back());
    std::vector<std::size_t> next(m_first.begin(), m_first.end() - 1);
    visitEndPairs(ends, [this, &next](EndPair pair) {
        m_pairs[next[pair.own]++] = pair;
        std::swap(pair.own, pair.other);
        pair.gapNs = -pair.gapNs;
        m_pairs[next[pair.own]++] = pair;
    });
}

} // namespace core
