#pragma once

#include "core/blocks/drawing.h"

namespace core {

/// Adds the links between visible blocks of different lanes (arranged by layers also of one lane),
/// each pair's edges as one bundle, and the critical path. Throws Cancelled.
void linkBlocks(const GraphOutline &outline, const DrawingOptions &options, Drawing &drawing,
                const JobControl &control);

/// Keeps the most important ones: those of the path first, then those that carry most, then those
/// that wait least. The others are counted.
void limitLinks(Drawing &drawing, std::size_t most);

} // namespace core
