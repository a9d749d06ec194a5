#pragma once

#include "core/analyze/diagnosis.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// Evidence lines: which stages of communication, or which transfers, the critical path runs
/// through, and where each takes longest. Empty where it runs through none.
std::vector<std::string> communicationOnPath(const CriticalPathReport &path);

/// What the trace cannot tell, for people: that it has no computation, how much of the critical
/// path is not recorded, and which ranks have nothing that could be replayed.
std::vector<std::string> blindSpots(const Trace &trace, const CriticalPathReport &path,
                                    const std::vector<RankDiagnosis> &ranks);

} // namespace core
