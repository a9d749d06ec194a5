#pragma once

#include "core/scenario/peak_memory.h"

#include <iosfwd>

namespace core {

/// The largest peak measured and predicted and where it is, or why it is not known.
void printPeakMemory(const PeakMemory &memory, std::ostream &out);

} // namespace core
