#pragma once

#include "core/model/trace.h"

namespace core {

/// Where ranks began to record one after the other, those that were first wait in their first
/// collective for those that were last: that is the recording's cost, not the job's. Takes the
/// first iteration out of Trace::compared if it took more than twice as long as the typical one,
/// but not on the rank that began last, and ranks began at least half of that excess apart. Needs
/// clocks that are known.
void leaveOutRecordingStart(Trace &trace);

} // namespace core
