#pragma once

#include "core/base/diagnostics.h"

namespace core {

/// Counts, by kind (the codes begin with "not-shown"), an event of a Chrome trace that has no place
/// on the timeline. Nothing is said of flows, whose two ends are slices that identifiers tie as
/// well. False for a phase (`ph`) that the trace-event format does not define: it is not counted.
bool countNotShown(char phase, const SourcePosition &where, Diagnostics &diagnostics);

} // namespace core
