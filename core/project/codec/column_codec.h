#pragma once

#include "core/sqlite/database.h"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// Appends a column of numbers, each as wide as the largest needs (0, 1, 2, 4 or 8 bytes) relative
/// to the smallest non-zero one or to its predecessor, whichever is narrower. 0 stays 0.
void encodeColumn(std::span<const std::uint64_t> values, ByteBuffer &out);
/// Reads `rows` values and advances `in`.
std::vector<std::uint64_t> decodeColumn(ByteSpan &in, std::size_t rows);

} // namespace core
