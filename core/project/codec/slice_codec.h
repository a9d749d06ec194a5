#pragma once

#include "core/model/trace.h"
#include "core/sqlite/database.h"

#include <functional>
#include <span>
#include <vector>

// The layout of a chunk of slices. Decoding checks every bound and throws Error.

namespace core {

constexpr std::size_t HotRowBytes = 24;

/// Rows [from, to) of the times-only columns, 24 bytes a row, structure of arrays.
void encodeHot(const SliceColumns &slices, std::size_t from, std::size_t to, ByteBuffer &out);
/// Appends the rows to the times-only columns of `slices`; names must be below `nameCount`.
void decodeHot(ByteSpan in, std::size_t rows, std::size_t nameCount, SliceColumns &slices);

/// The columns of a chunk that say what its slices are and how long they took; others of the
/// times-only columns lie before and behind them.
struct SliceKinds
{
    std::vector<std::int64_t> durationNs;
    std::vector<NameId> name;
    std::vector<Category> category;
    std::vector<Phase> phase;
};
/// Reads `rows` rows into `kinds`, in place of what is there. `read` gives bytes of the BLOB that
/// encodeHot() made: (offset, where to).
void readKinds(const std::function<void(std::size_t, std::span<std::uint8_t>)> &read,
               std::size_t rows, std::size_t nameCount, SliceKinds &kinds);

/// The links of a chunk, uncompressed. argsOrdinal: ordinal of the slice's args + 1, 0 for none.
struct LinkColumns
{
    std::vector<std::uint64_t> correlation, externalId, sequence, forwardThread, bytes, argsOrdinal,
        node;
};
ByteBuffer encodeLinks(const SliceColumns &slices, std::span<const std::uint64_t> argsOrdinal,
                       std::size_t from, std::size_t to);
LinkColumns decodeLinks(ByteSpan in, std::size_t rows);

/// Slices that began in an earlier chunk and still run when a chunk begins: their ids and hot rows.
struct CarriedSlices
{
    std::vector<SliceId> ids;
    SliceColumns slices; ///< times only
};
ByteBuffer encodeCarried(const CarriedSlices &carried);
CarriedSlices decodeCarried(ByteSpan in, std::size_t nameCount);

} // namespace core
