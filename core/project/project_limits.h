#pragma once

#include <cstddef>
#include <cstdint>

// Sizes that the writer aims at and that a reader accepts.

namespace core {

constexpr std::size_t ChunkRows = 8192; ///< slices a chunk that the writer aims at
constexpr std::size_t MaxChunkRows = 1 << 20; ///< that a reader accepts
/// Records of a project take so much at most, and so many times what the file takes: a chunk of 60
/// bytes may honestly hold 65,536 dependencies, but no file is made of these alone.
constexpr std::size_t SmallestRecordBudget = 256 << 20;
constexpr std::size_t RecordBytesPerFileByte = 64;
constexpr std::size_t MaxCarried = 4096; ///< more slices than these carried over: carry no list
constexpr std::size_t MaxBlobBytes = 1 << 28; ///< uncompressed size that a reader accepts
/// Of one slice; more are left out. A block of args ends with the text that fills it, so that a
/// block with the longest is one that a reader accepts.
constexpr std::size_t MaxArgsBytes = MaxBlobBytes / 16;
constexpr std::size_t MaxArgsBlockBytes = MaxArgsBytes + (2 << 20); ///< that a reader accepts
/// Times of a project lie within +-MaxTimeNs, durations within MaxDurationNs, so that sums of a
/// start, a duration and a clock offset cannot overflow.
constexpr std::int64_t MaxTimeNs = 4'000'000'000'000'000'000;
constexpr std::int64_t MaxDurationNs = 2'300'000'000'000'000'000;
/// By which a file's clock may drift from its rank's, either way.
constexpr double MaxDriftPpm = 1e4;

} // namespace core
