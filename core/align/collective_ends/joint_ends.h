#pragma once

#include "core/align/collective_ends/end_pairs.h"
#include "core/base/job_control.h"

#include <cstddef>
#include <vector>

namespace core {

/// What is added to the first guess.
struct JointFit
{
    std::vector<double> offsetNs; ///< by worker, at time 0; 0 for the reference
    std::vector<double> drift; ///< by worker; 0 where none was fitted
    double scaleNs = 0; ///< of the ends' distances, for a collective of median duration
    double logLikelihood = 0; ///< up to a constant

    /// What the fit leaves of a pair's gap.
    double leftNs(const EndPair &pair) const
    {
        return pair.gapNs + offsetNs[pair.own] - offsetNs[pair.other]
            + (drift[pair.own] - drift[pair.other]) * static_cast<double>(pair.timeNs);
    }
};

/// Which workers' clocks may drift against the reference's: workers with the same number share one
/// drift (a host has one clock); None does not drift.
struct DriftGroups
{
    static constexpr std::size_t None = static_cast<std::size_t>(-1);
    std::vector<std::size_t> ofWorker;
    std::size_t count = 0;
};

/// Most probable offsets theta_w and drifts rho_w if of two ranks i, j that take part in collective
/// k
///     (end_i + theta_i + rho_i t_k) - (end_j + theta_j + rho_j t_k) ~ s u_k Student-t(0.5),
/// u_k the square root of its duration over the median: ranks leave nearly together, many within
/// microseconds as one's last chunk is another's, others are held up for milliseconds, and such a
/// tail must not pull. It is O1 of dPRO §4.2 for collectives (with the last rank's entry as start
/// all ranks transfer for the same time, so its variance is that of the ends), made robust. The
/// likelihood is that of all pairs (composite; Varin, Reid, Firth 2011), since the ranks that left
/// together are others in each collective. It has many maxima: it is climbed by reweighting from
/// several `starts` and scales s, and then each worker jumps to where its pairs agree best. Drifts
/// beyond what crystals have are unlikely (a normal prior).
JointFit fitJointEnds(const EndPairs &pairs, std::size_t reference,
                      const std::vector<std::vector<double>> &starts, const DriftGroups &drift,
                      const JobControl &control);

} // namespace core
