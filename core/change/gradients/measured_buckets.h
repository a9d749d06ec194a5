#pragma once

#include "core/change/gradients/rebucket.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Sizes of DDP's buckets in MiB; an absent one stays as measured.
struct BucketChanges
{
    std::optional<double> capMb, firstMb;
};

/// The limits of DDP's buckets with these sizes. What is not set is as recorded: the cap that
/// the bundle states, else DDP's default where that explains the recorded buckets, else one that
/// does. The first bucket is DDP's 1 MiB where that explains it, else as large as the others where
/// the cap does (newer PyTorch takes the cap for the first one, too, where the program gives one),
/// else as large as recorded. Where no limits explain the recorded buckets, the defaults are taken.
BucketLimits bucketLimits(const Graph &graph, const Trace &trace, const BucketChanges &changes);

/// In MiB: the cap that the bundle states, else the one that bucketLimits() takes because it
/// explains the recorded buckets; nothing where none does, or where no bucket was full:
/// the last one would be the same with any larger cap.
std::optional<double> recordedCapMb(const Graph &graph, const Trace &trace);

/// Limits with which DDP makes buckets of so many tensors; empty where none do.
/// `parameterBytes`: in the order in which gradients become ready.
std::optional<BucketLimits> limitsOfBuckets(const std::vector<std::uint64_t> &parameterBytes,
                                            const std::vector<std::size_t> &counts);

} // namespace core
