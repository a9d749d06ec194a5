#pragma once

#include "core/model/trace.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace core {

/// One activity of a stream with the call that launched it; raw clock.
struct LaunchedActivity
{
    static constexpr std::int64_t NotRecorded = std::numeric_limits<std::int64_t>::min();

    std::int64_t launchNs = NotRecorded; ///< the call began
    std::int64_t startNs = 0, endNs = 0;
};

/// Activities that the calls of one rank's file launched on its streams, by correlation.
class LaunchedWork
{
public:
    /// `tracks`: of one worker and file. Nothing refers to the trace afterwards.
    LaunchedWork(const Trace &trace, const std::vector<const Track *> &tracks);

    /// Activities by stream, each in the stream's order.
    const std::vector<std::vector<LaunchedActivity>> &streams() const { return m_streams; }
    /// Whether the device recorded anything of the call with that correlation.
    bool hasActivity(std::uint64_t correlation) const;
    /// The end nearest to `endNs` among those of each stream's last activity that was launched
    /// before `startNs`: what a call from startNs to endNs waited for, if it waited. Streams
    /// without recorded launches are passed over.
    std::optional<std::int64_t> nearestEnd(std::int64_t startNs, std::int64_t endNs) const;

private:
    std::vector<std::vector<LaunchedActivity>> m_streams;
    std::vector<std::uint64_t> m_activities; ///< correlations, sorted
};

/// A worker's tracks by file.
std::vector<std::vector<const Track *>> byFile(const std::vector<const Track *> &tracks);

} // namespace core
