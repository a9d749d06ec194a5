#pragma once

#include "core/predict/peak_memory.h"

#include <iosfwd>

namespace core {

/// The largest peak measured, and the largest predicted, each with its place, or why it is not
/// known.
void printPeakMemory(const PeakMemory &memory, std::ostream &out);

} // namespace core
