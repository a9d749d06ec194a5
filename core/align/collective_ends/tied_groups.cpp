#include "core/align/collective_ends/tied_groups.h"

#include <algorithm>
#include <numeric>

namespace core {

TiedGroups::TiedGroups(const EndCollectives &ends, std::size_t workers)
    : m_first(workers)
    , m_workers(workers)
    , m_collectives(workers)
{
    std::iota(m_first.begin(), m_first.end(), std::size_t { 0 });
    for (const ObservedCollective *collective : ends)
        for (const ObservedPart &part : collective->parts)
            join(collective->parts.front().worker, part.worker);
    for (std::size_t w = 0; w < workers; ++w) {
        m_first[w] = firstOf(w);
        m_workers[m_first[w]].push_back(w);
    }
    for (const ObservedCollective *collective : ends)
        m_collectives[m_first[collective->parts.front().worker]].push_back(collective);
}

/// Until all are joined `m_first` leads there, by smaller ones.
std::size_t TiedGroups::firstOf(std::size_t worker)
{
    for (; m_first[worker] != worker; worker = m_first[worker])
        m_first[worker] = m_first[m_first[worker]];
    return worker;
}

void TiedGroups::join(std::size_t a, std::size_t b)
{
    const auto [low, high] = std::minmax({ firstOf(a), firstOf(b) });
    m_first[high] = low;
}

} // namespace core
