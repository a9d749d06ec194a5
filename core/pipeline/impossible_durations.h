#pragma once

#include "core/model/trace.h"

namespace core {

/// Profilers of AMD's devices write durations of seconds for a few operations, which then run over
/// many later ones of their stream. A stream runs one after the other: such an operation counts
/// until the next one begins. It has to last many times as long as most of its name, and to be one
/// of few of its stream: what overlaps all the time is no bad duration. Each rank and stream that
/// had some is among the trace's metadata (RepairKey).
void clipImpossibleDurations(Trace &trace);

} // namespace core
