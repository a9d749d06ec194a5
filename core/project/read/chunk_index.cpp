#include "core/project/read/chunk_index.h"

#include "core/project/codec/column_codec.h"
#include "core/project/read/slice_store.h"

#include <algorithm>

namespace core {

ChunkIndexWriter::ChunkIndexWriter(Database &db)
    : m_insert(db, "INSERT INTO slice_index VALUES (?, ?, ?, ?, ?)")
{
}

void ChunkIndexWriter::write(const SliceColumns &slices, std::span<const std::uint64_t> argsOrdinal,
                             std::size_t from, std::size_t to)
{
    std::vector<std::uint64_t> names;
    names.reserve(to - from);
    for (std::size_t row = from; row < to; ++row)
        names.push_back(slices.name[row].value);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    m_buffer.clear();
    encodeColumn(names, m_buffer);

    std::uint64_t argsBegin = 0, argsEnd = 0; // stored ordinals are one higher, 0 is none
    for (const std::uint64_t stored : argsOrdinal.subspan(from, to - from)) {
        if (stored == 0)
            continue;
        argsBegin = argsEnd == 0 ? stored - 1 : std::min(argsBegin, stored - 1);
        argsEnd = std::max(argsEnd, stored);
    }
    m_insert
        .bindAll(slices.first.value + from, argsBegin, argsEnd,
                 static_cast<std::uint64_t>(names.size()), ByteSpan(m_buffer))
        .run();
}

ChunkIndex::ChunkIndex(Database &db, std::span<const ChunkInfo> chunks, std::size_t nameCount)
    : m_contents(chunks.size())
{
    Statement select(db,
                     "SELECT first_slice, args_begin, args_end, name_count, names FROM slice_index "
                     "ORDER BY first_slice");
    auto chunk = chunks.begin();
    while (select.step()) {
        const std::uint64_t firstSlice = select.natural(0);
        chunk = std::find_if(chunk, chunks.end(),
                             [&](const ChunkInfo &c) { return c.firstSlice == firstSlice; });
        if (chunk == chunks.end() || select.natural(3) > chunk->rows)
            db.failDamaged("the index of slices does not fit them");
        Content &content = m_contents[static_cast<std::size_t>(chunk - chunks.begin())];
        content.argsBegin = select.natural(1);
        content.argsEnd = select.natural(2);
        content.namesBegin = m_names.size();
        ByteSpan bytes = select.bytes(4);
        for (const std::uint64_t name :
             decodeColumn(bytes, static_cast<std::size_t>(select.natural(3)))) {
            if (name >= nameCount)
                db.failDamaged("the index of slices does not fit them");
            m_names.push_back(static_cast<std::uint32_t>(name));
        }
        content.namesEnd = m_names.size();
        content.isKnown = true;
    }
}

std::span<const std::uint32_t> ChunkIndex::namesOf(const Content &content) const
{
    return std::span(m_names).subspan(content.namesBegin, content.namesEnd - content.namesBegin);
}

bool ChunkIndex::mayHold(std::size_t chunk, NameId name) const
{
    const Content &content = m_contents[chunk];
    const auto names = namesOf(content);
    return !content.isKnown || std::find(names.begin(), names.end(), name.value) != names.end();
}

bool ChunkIndex::mayHoldAny(std::size_t chunk, std::span<const std::uint8_t> matches) const
{
    const Content &content = m_contents[chunk];
    const auto names = namesOf(content);
    return !content.isKnown
        || std::any_of(names.begin(), names.end(),
                       [matches](std::uint32_t name) { return matches[name] != 0; });
}

bool ChunkIndex::mayHoldArgs(std::size_t chunk, std::uint64_t from, std::uint64_t to) const
{
    const Content &content = m_contents[chunk];
    return !content.isKnown || (content.argsBegin < to && from < content.argsEnd);
}

} // namespace core
