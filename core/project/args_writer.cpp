#include "core/project/args_writer.h"

#include <cstring>

namespace core {

namespace {

    constexpr std::size_t BlockBytes = 256 * 1024;

} // namespace

ArgsWriter::ArgsWriter(Database &db, std::uint64_t firstOrdinal)
    : m_db(db)
    , m_firstOrdinal(firstOrdinal)
{
}

std::uint64_t ArgsWriter::add(std::string_view text)
{
    const std::uint64_t ordinal = nextOrdinal();
    const auto *data = reinterpret_cast<const std::uint8_t *>(text.data());
    m_texts.insert(m_texts.end(), data, data + text.size());
    m_lengths.push_back(static_cast<std::uint32_t>(text.size()));
    if (m_texts.size() >= BlockBytes)
        flush();
    return ordinal;
}

void ArgsWriter::flush()
{
    if (m_lengths.empty())
        return;
    const auto *lengths = reinterpret_cast<const std::uint8_t *>(m_lengths.data());
    m_texts.insert(m_texts.begin(), lengths, lengths + m_lengths.size() * sizeof(std::uint32_t));
    Statement insert(m_db, "INSERT INTO args_block VALUES (?, ?, ?, ?)");
    insert
        .bindAll(m_firstOrdinal, static_cast<std::uint64_t>(m_lengths.size()),
                 static_cast<std::uint64_t>(m_texts.size()), m_compressor.compress(m_texts))
        .run();
    m_firstOrdinal += m_lengths.size();
    m_lengths.clear();
    m_texts.clear();
}

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

} // namespace core
