#pragma once

#include "core/blocks/drawing.h"

namespace core {

/// Adds the links between visible blocks, each pair's edges as one bundle, and the critical path.
/// Throws Cancelled.
void linkBlocks(const GraphOutline &outline, Drawing &drawing, const JobControl &control);

/// The most important first: those of the path, then those that carry most, then those that wait
/// least.
void sortLinks(Drawing &drawing);

} // namespace core
