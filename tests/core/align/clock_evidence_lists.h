#pragma once

#include "core/align/clock_offsets.h"

#include <string>
#include <vector>

// Evidence of clocks as short lists of times.

namespace tests {

constexpr std::int64_t Us = 1000;
constexpr std::int64_t Ms = 1000 * Us;

/// Collectives by their parts, in microseconds.
struct PartUs
{
    std::size_t worker;
    std::int64_t startUs, endUs;
};

inline core::ClockEvidence evidenceOf(const std::vector<std::vector<PartUs>> &collectives)
{
    core::ClockEvidence evidence;
    for (const auto &parts : collectives) {
        core::ObservedCollective &collective = evidence.collectives.emplace_back();
        for (const PartUs &part : parts)
            collective.parts.push_back({ part.worker, part.startUs * Us, part.endUs * Us });
    }
    return evidence;
}

inline std::vector<std::string> unknownHosts(std::size_t workers)
{
    return std::vector<std::string>(workers);
}

inline core::ClockSolution solved(const core::ClockEvidence &evidence, std::size_t workers)
{
    return core::solveOffsets(evidence, unknownHosts(workers), 0, {});
}

} // namespace tests
