#include "core/model/columns/compact_column.h"

#include "core/base/kept_memory.h"

#include <algorithm>
#include <limits>

namespace core {

void CompactColumn::append(std::span<const std::uint64_t> values)
{
    std::uint64_t bits = 0; // of all of them
    for (const std::uint64_t value : values)
        bits |= value;
    if (bits > std::numeric_limits<std::uint32_t>::max())
        widen(Width::Wide);
    else if (bits != 0)
        widen(Width::Narrow);
    m_size += values.size();
    if (m_width == Width::Wide)
        m_wide.insert(m_wide.end(), values.begin(), values.end());
    for (std::size_t i = 0; m_width == Width::Narrow && i < values.size(); ++i)
        m_narrow.push_back(static_cast<std::uint32_t>(values[i]));
}

void CompactColumn::clear()
{
    m_width = Width::None;
    m_size = 0;
    m_narrow.clear();
    m_wide.clear();
}

std::vector<std::uint64_t> CompactColumn::values(std::size_t from, std::size_t to) const
{
    std::vector<std::uint64_t> values;
    values.reserve(to - from);
    for (std::size_t row = from; row < to; ++row)
        values.push_back((*this)[row]);
    return values;
}

void CompactColumn::widen(Width width)
{
    if (m_width >= width)
        return;
    if (width == Width::Narrow) {
        m_narrow.reserve(m_reserved);
        m_narrow.assign(m_size, 0);
    } else {
        m_wide.reserve(m_reserved);
        m_wide.assign(m_narrow.begin(), m_narrow.end());
        m_wide.resize(m_size); // of those that were all 0
        releaseMemory(m_narrow);
    }
    m_width = width;
}

} // namespace core
