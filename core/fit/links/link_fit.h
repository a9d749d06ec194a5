#pragma once

#include "core/fit/links/link_model.h"

#include <vector>

namespace core {

/// A time in which a link was busy without a pause.
struct BusyPeriod
{
    double durationNs = 0;
    double latencies = 0; ///< how many of its transfers waited for their first bytes in it
    double bytes = 0;
};

/// Fits durationNs = latencies * alpha + bytes * beta, and beta without alpha
/// (pooledBetaNsPerByte), to periods, at least one, of positive durations and bytes: least squares
/// of the relative error, in which a period that is far off, as where another job had the machine
/// for a while, counts as Huber's ("Robust Estimation of a Location Parameter", 1964). Where all
/// sizes are alike, or alpha or beta come out negative, alpha is 0. No byte takes less than
/// `leastNsPerByte` (0: nothing is known), the line's own time: what is beyond is alpha. Sets the
/// model's alpha and beta, their 95 % intervals, and the median error.
void fitCost(const std::vector<BusyPeriod> &periods, double leastNsPerByte, LinkModel &model);

} // namespace core
