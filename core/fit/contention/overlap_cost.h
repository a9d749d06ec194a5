#pragma once

#include "core/base/job_control.h"
#include "core/fit/contention/overlap_regression.h"
#include "core/measure/busy_times.h"
#include "core/model/trace.h"

namespace core {

/// What a CPU backend's transfers cost the framework ops that they overlap, in ns (of a core) a
/// byte. By ops of the backward pass of one family (rank, name, input bytes) at different overlap:
/// regression within families, weighted by duration. `busy`: when the link carried data, at
/// `bytesPerNs`. Throws Cancelled.
OverlapCost costOfAlikeOps(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                           const JobControl &control);

/// By matrix products, of which one takes about as long for a multiplication as another (at the
/// core's rate: Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM
/// TOMS 34(3), 2008): regression of what a multiplication takes, between families of products of
/// one shape, of the same rank and number of dimensions. An op that the same communication overlaps
/// in every iteration tells nothing by itself; that of another layer, or of the forward pass, does.
/// 0 where shapes are not recorded. Throws Cancelled.
OverlapCost costOfProducts(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                           const JobControl &control);

/// By ops of one family (name, input bytes) on different ranks: regression of their mean
/// ln(duration) on their mean overlap, of which what a rank's ops have in common (it shares a core)
/// and what a family's have in common is taken out. Of an op that overlaps communication in every
/// iteration on the one rank and in none on another, as that is done earlier, this tells. 0 where
/// ranks overlap alike. Throws Cancelled.
OverlapCost costAcrossRanks(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                            const JobControl &control);

} // namespace core
