#pragma once

#include "core/project/read/project_reader.h"
#include "core/sqlite/database.h"

#include <span>
#include <vector>

namespace core {

/// The bins of a level of detail, as columns.
void encodeBins(std::span<const LevelBin> bins, ByteBuffer &out);
/// Appends `count` bins. Checks them and throws Error.
void decodeBins(ByteSpan in, std::size_t count, std::vector<LevelBin> &bins);

} // namespace core
