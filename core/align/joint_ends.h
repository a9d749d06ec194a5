#pragma once

#include "core/base/job_control.h"

#include <cstddef>
#include <vector>

namespace core {

/// The ends of one collective on the clocks of its participants, near enough to each other to be
/// doubles: nanoseconds since a common origin, after a first guess of the offsets.
struct JointEnd
{
    struct Part
    {
        std::size_t worker = 0;
        double endNs = 0;
        double durationNs = 0;
    };
    std::vector<Part> parts;
    double durationNs = 0; ///< of the participant that came last: no waiting in it
    double timeNs = 0; ///< since the middle of the trace; what a drift is multiplied with
};

/// What is added to the first guess.
struct JointFit
{
    std::vector<double> offsetNs; ///< by worker, at time 0; 0 for the reference
    std::vector<double> drift; ///< by worker; 0 where none was fitted
    double scaleNs = 0; ///< of the ends' distances, for a collective of median duration
    double logLikelihood = 0; ///< up to a constant

    /// Standard error of a worker's offset against another one that takes part in the same
    /// collectives, whose weights sum up to `weight`; of its drift if each weight is multiplied by
    /// the square of its time.
    double standardErrorNs(double weight) const;
};

/// Weight of a collective's end: a longer transfer leaves more room between the ends of two ranks.
double endWeight(const JointEnd &end, double medianDurationNs);
double medianDuration(const std::vector<JointEnd> &ends);

/// Which workers' clocks may drift against the reference's: workers with the same number share one
/// drift (a host has one clock); None does not drift.
struct DriftGroups
{
    static constexpr std::size_t None = static_cast<std::size_t>(-1);
    std::vector<std::size_t> ofWorker;
    std::size_t count = 0;
};

/// Most probable offsets theta_w and drifts rho_w if rank w leaves collective k at
///     T_k - theta_w - rho_w t_k + e,    e ~ s u_k Student-t(0.5 degrees of freedom),
/// T_k unknown, u_k the square root of its duration over the median: ranks leave nearly together,
/// most within microseconds, some held up for milliseconds, and such a tail must not pull. It is
/// O1 of dPRO §4.2 for collectives (with the last rank's entry as start all ranks transfer for the
/// same time, so its variance is that of the ends), made robust. Expectation maximisation over
/// the weights from several `starts`, of which the most probable result wins; s is fitted too.
JointFit fitJointEnds(const std::vector<JointEnd> &ends, std::size_t reference,
                      const std::vector<std::vector<double>> &starts, const DriftGroups &drift,
                      const JobControl &control);

} // namespace core
