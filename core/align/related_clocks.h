#pragma once

#include "core/align/clock_evidence.h"
#include "core/base/job_control.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// Brings clocks together that nothing ties to the reference's but that what their ranks recorded
/// ties to each other (another host's, another job's): each to that of the lowest rank among them,
/// which keeps its times. They stay unknown. `hosts` by worker, empty where unknown.
void relateUnknownClocks(const ClockEvidence &evidence, const std::vector<Worker> &workers,
                         const std::vector<std::string> &hosts, AlignmentReport &report,
                         const JobControl &control);

} // namespace core
