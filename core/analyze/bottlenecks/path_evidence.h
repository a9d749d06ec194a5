#pragma once

#include "core/analyze/diagnosis.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// "between forward and backward", "before forward" where `before` is empty: where a gap is.
std::string gapPlaceText(const std::string &before, const std::string &behind);

/// Evidence lines: which stages of communication, or which transfers, the critical path runs
/// through, and where each takes longest. Empty where it runs through none.
std::vector<std::string> communicationOnPath(const CriticalPathReport &path);

/// Which ops of a critical path are meant.
using CriticalOpTest = bool (*)(const CriticalOp &);

bool isHostsOp(const CriticalOp &op); ///< launches, too; but what loads no input
bool isCommunicationOp(const CriticalOp &op);
bool isCopyOp(const CriticalOp &op); ///< to, from or on an accelerator
bool isInputOp(const CriticalOp &op);

/// "aten::mm on rank 0, 1.20 ms; ...": the longest ops on the path that are meant; empty if it has
/// none.
std::string longestOnPath(const CriticalPathReport &path, CriticalOpTest isMeant);

/// Whether any device of a rank computes, or copies within itself.
bool hasComputation(const std::vector<RankDiagnosis> &ranks);

/// What the trace cannot tell, for people: that it has no computation, how much of the critical
/// path is not recorded, which ranks have nothing that could be replayed, and which
/// iterations are left out.
std::vector<std::string> blindSpots(const Trace &trace, const CriticalPathReport &path,
                                    const std::vector<RankDiagnosis> &ranks);

} // namespace core
