#pragma once

#include "core/base/diagnostics.h"
#include "core/model/trace.h"

#include <vector>

namespace core {

/// What is odd about the ranks of a project taken together; one diagnostic a kind and file:
/// "missing-ranks": the traces state a world size, and of some ranks there is none;
/// "world-size": ranks beyond the size that they state;
/// "other-job": the traces are of several jobs, see separateJobs(), and nothing else is told then;
/// or of one, but a rank recorded while most others did not (only where clocks tell the time of
/// day), or has no tensor's name in common with most;
/// "wrong-clock": the former, of a rank whose steps or messages tell that it is of the same run;
/// "iteration-counts": some iterations are not recorded whole by every rank, see
/// comparedIterations().
std::vector<Diagnostic> checkRanks(const Trace &trace);

/// Is it one of those that checkRanks() or fileClockDiagnostics() finds?
bool isRankCheck(const Diagnostic &diagnostic);

/// Whether checkRanks() found the traces to be of several jobs.
bool areOfSeveralJobs(const std::vector<Diagnostic> &diagnostics);

/// Replaces what an earlier checkRanks() found in `diagnostics`, and what fileClockDiagnostics()
/// did by `fileClocks`.
void replaceRankChecks(Diagnostics &diagnostics, const Trace &trace,
                       const std::vector<Diagnostic> &fileClocks = {});

} // namespace core
