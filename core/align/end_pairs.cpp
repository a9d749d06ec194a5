#include "core/align/end_pairs.h"

#include <cmath>

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

} // namespace

EndPairs::EndPairs(const std::vector<JointEnd> &ends, std::size_t workerCount)
{
    const double medianNs = medianDuration(ends);
    for (const JointEnd &end : ends) {
        const std::size_t first = m_pairs.size();
        const double spread = 1 / std::sqrt(endWeight(end, medianNs));
        visitPartPairs(end.parts.size(), [&](std::size_t i, std::size_t j) {
            const JointEnd::Part &a = end.parts[i], &b = end.parts[j];
            m_pairs.push_back({ static_cast<std::uint32_t>(a.worker),
                                static_cast<std::uint32_t>(b.worker),
                                static_cast<std::uint32_t>(end.batch), a.endNs - b.endNs,
                                end.timeNs, spread, 1 });
        });
        const double weight = static_cast<double>(end.parts.size() - 1)
            / static_cast<double>(m_pairs.size() - first);
        for (std::size_t p = first; p < m_pairs.size(); ++p)
            m_pairs[p].weight = weight;
    }
    index(workerCount);
}

void EndPairs::index(std::size_t workerCount)
{
    m_first.assign(workerCount + 1, 0);
    for (const EndPair &pair : m_pairs) {
        ++m_first[pair.a + 1];
        ++m_first[pair.b + 1];
    }
    for (std::size_t w = 0; w < workerCount; ++w)
        m_first[w + 1] += m_first[w];
    m_of.resize(2 * m_pairs.size());
    std::vector<std::size_t> next(m_first.begin(), m_first.end() - 1);
    for (std::size_t p = 0; p < m_pairs.size(); ++p) {
        m_of[next[m_pairs[p].a]++] = p;
        m_of[next[m_pairs[p].b]++] = p;
    }
}

} // namespace core
