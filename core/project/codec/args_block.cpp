#include "core/project/codec/args_block.h"

#include <algorithm>
#include <cstring>

namespace core {

ArgsBlock::ArgsBlock(ByteBuffer bytes, std::uint64_t firstOrdinal, std::size_t count)
    : m_bytes(std::move(bytes))
    , m_firstOrdinal(firstOrdinal)
{
    if (count > m_bytes.size() / sizeof(std::uint32_t))
        throw Error("the project file is damaged (a block of arguments); import the bundle again");
    std::size_t offset = count * sizeof(std::uint32_t);
    m_offsets.reserve(count + 1);
    m_offsets.push_back(offset);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t length = 0;
        std::memcpy(&length, m_bytes.data() + i * sizeof length, sizeof length);
        offset += length;
        m_offsets.push_back(offset);
    }
    if (offset != m_bytes.size())
        throw Error("the project file is damaged (a block of arguments); import the bundle again");
}

std::string_view ArgsBlock::text(std::uint64_t ordinal) const
{
    if (!holds(ordinal))
        return {};
    const std::size_t i = ordinal - m_firstOrdinal;
    const auto *data = reinterpret_cast<const char *>(m_bytes.data());
    return { data + m_offsets[i], m_offsets[i + 1] - m_offsets[i] };
}

std::string_view ArgsBlock::allTexts() const
{
    return { reinterpret_cast<const char *>(m_bytes.data()) + m_offsets.front(),
             m_offsets.back() - m_offsets.front() };
}

ArgsBlock::Place ArgsBlock::placeOf(std::size_t offset) const
{
    const auto next
        = std::upper_bound(m_offsets.begin(), m_offsets.end(), offset + m_offsets.front());
    return { m_firstOrdinal + static_cast<std::uint64_t>(next - m_offsets.begin()) - 1,
             *next - m_offsets.front() };
}

} // namespace core
