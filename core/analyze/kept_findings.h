#pragma once

#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/analyze/diagnosis.h"

#include <string>
#include <string_view>

namespace core {

/// The analysis as a project keeps it: all that is shown of it without the trace. In the diagnosis
/// transfers and predictor are missing, and of its self-replay what needs a graph: links,
/// efficiencies, the graph and its replay.
struct KeptFindings
{
    Diagnosis diagnosis;
    GainIntervals gains; ///< of its bottlenecks
};

/// Little-endian bytes without a layout of their own: only the program that wrote them reads them.
std::string findingsBytes(const KeptFindings &findings);
/// Throws Error where the bytes are not such ones.
KeptFindings findingsFrom(std::string_view bytes);

} // namespace core
