#pragma once

#include "core/model/trace.h"
#include "core/project/project_reader.h"
#include "core/sqlite/database.h"

#include <functional>
#include <memory>
#include <span>

// The layout of the project's BLOBs; see "BLOBs" in README.md. All numbers are little-endian.
// Decoding checks every bound and throws Error: a BLOB may come from a stranger.

namespace core {

constexpr std::size_t ChunkRows = 8192; ///< slices a chunk that the writer aims at
constexpr std::size_t MaxChunkRows = 1 << 20; ///< that a reader accepts
constexpr std::size_t HotRowBytes = 24;
constexpr std::size_t MaxCarried = 4096; ///< more slices than these carried over: carry no list
constexpr std::size_t MaxBlobBytes = 1 << 28; ///< uncompressed size that a reader accepts
/// Times of a project lie within +-MaxTimeNs, durations within MaxDurationNs, so that sums of a
/// start, a duration and a clock offset cannot overflow.
constexpr std::int64_t MaxTimeNs = 4'000'000'000'000'000'000;
constexpr std::int64_t MaxDurationNs = 2'300'000'000'000'000'000;

/// Appends a column of numbers, each as wide as the largest needs (0, 1, 2, 4 or 8 bytes) relative
/// to the smallest non-zero one or to its predecessor, whichever is narrower. 0 stays 0.
void encodeColumn(std::span<const std::uint64_t> values, ByteBuffer &out);
/// Reads `rows` values and advances `in`.
std::vector<std::uint64_t> decodeColumn(ByteSpan &in, std::size_t rows);

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

void encodeBins(std::span<const LevelBin> bins, ByteBuffer &out);
/// Appends `count` bins.
void decodeBins(ByteSpan in, std::size_t count, std::vector<LevelBin> &bins);

/// zstd level 1; keeps its working memory between calls.
class Compressor
{
public:
    Compressor();
    ~Compressor();
    Compressor(const Compressor &) = delete;
    Compressor &operator=(const Compressor &) = delete;
    /// The bytes live until the next call.
    ByteSpan compress(ByteSpan raw);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

ByteBuffer decompress(ByteSpan compressed, std::uint64_t rawBytes);

} // namespace core
