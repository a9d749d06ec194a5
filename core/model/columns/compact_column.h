#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// Numbers by row, of which most are 0 or below 2^32. A row takes no memory while all are 0, 4
/// bytes while all fit in them, else 8.
class CompactColumn
{
public:
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    std::uint64_t operator[](std::size_t row) const
    {
        if (m_width == Width::Narrow)
            return m_narrow[row];
        return m_width == Width::Wide ? m_wide[row] : 0;
    }

    void push_back(std::uint64_t value) { append({ &value, 1 }); }
    void append(std::span<const std::uint64_t> values);
    /// For that many rows in all.
    void reserve(std::size_t rows) { m_reserved = rows; }
    void clear();

    /// Rows [from, to), for whom wants them side by side.
    std::vector<std::uint64_t> values(std::size_t from, std::size_t to) const;

private:
    enum class Width : std::uint8_t { None, Narrow, Wide };

    void widen(Width width);

    Width m_width = Width::None;
    std::size_t m_size = 0, m_reserved = 0; ///< rows
    std::vector<std::uint32_t> m_narrow; ///< [rows] where the width is Narrow, else empty
    std::vector<std::uint64_t> m_wide; ///< [rows] where it is Wide, else empty
};

} // namespace core
