#pragma once

#include "core/analyze/report/breakdown.h"
#include "tests/core/measure/measured_parts_of.h"

#include <vector>

namespace tests {

inline std::vector<core::RankDiagnosis> ranksOf(const core::Trace &trace,
                                                const core::SliceTransfers &transfers = {})
{
    return core::rankDiagnoses(trace, transfers, core::workerActivities(trace, transfers, {}), {});
}

} // namespace tests
