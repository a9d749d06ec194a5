#pragma once

#include <cstdint>
#include <vector>

namespace core {

/// How far after another rank a worker left one collective, with the clocks of a fit.
struct EndDistance
{
    double ns = 0;
    /// Beyond these one of the two enters after the other has left: no clocks can be so.
    double latestNs = 0, earliestNs = 0;
    double collectiveNs = 0; ///< how long the collective took
    std::uint64_t bytes = 0; ///< its payload; 0 unknown
};

// What makes a worker's offset less sure than a fit's standard error says; nanoseconds to one side.

/// How far the worker's clock may be from the fitted one where collectives of different payload, or
/// of different length (in steps of half an octave), are apart in what they say of it, by more than
/// they scatter: a rank behind a slow link, or the one after a slow rank, leaves later or earlier
/// each time, by how much depends on what is transferred. No clock is that, and all of them are
/// moved; so the true one may lie beyond all they say, by twice as much as they are apart. 0 if
/// they agree.
double disagreementNs(const std::vector<EndDistance> &distances);

/// How far the ends of those that take part with the worker may be moved, by what collectives of
/// different payload are apart in what they say of it (see disagreementNs()): what a slow link adds
/// to each alike, the one behind it shows in none. 0 if they agree.
double unequalLinksNs(const std::vector<EndDistance> &distances);

/// How far the worker's clock can be moved, at most, until one of the two enters a collective after
/// the other has left it: no interval need be wider. 0 where the records already contradict it.
double feasibleReachNs(const std::vector<EndDistance> &distances);

/// Where a share e of the worker's collectives contradicts every clock near the fitted one, records
/// are not what they seem (calls matched wrongly, times of another clock), and as many may mislead
/// without showing it. Then no more is known than that the true offset lies between the quantiles
/// 1/2 -+ e / (2 (1 - e)) of what the collectives say, the largest bias of a median under
/// contamination (Huber, Robust Statistics, section 1.4), widened by the sign test's order
/// statistics: between all of them if half contradict. 0 if none does.
double contradictedReachNs(const std::vector<EndDistance> &distances);

} // namespace core
