#pragma once

#include "core/analyze/bottlenecks/bottleneck_search.h"

#include <optional>

// One search a cause; empty: it does not cost enough, or cannot be told.

namespace core {

/// A rank that keeps the others waiting: the gain if every rank were as fast as the median.
std::optional<Bottleneck> findStraggler(const BottleneckSearch &search);
/// Rare iterations that are slower than the others: what they lose in the mean iteration, measured.
std::optional<Bottleneck> findSlowIterations(const BottleneckSearch &search);
/// Another size of gradient buckets, by replay of each candidate.
std::optional<Bottleneck> findBucketSize(const BottleneckSearch &search);
/// Another size of the partitions in which gradients are sent, by replay of each candidate.
std::optional<Bottleneck> findPartitionSize(const BottleneckSearch &search);
/// Links of some ranks that are slower than the others' (slowLinks()): the gain if they were as
/// fast.
std::optional<Bottleneck> findSlowLink(const BottleneckSearch &search);
/// A network that gives transfers far less than its stated rate (doubtedLink()): the gain if it
/// gave them that.
std::optional<Bottleneck> findStatedRate(const BottleneckSearch &search);
/// Groups of ranks whose transfers are slower than those of groups of the same role (slowGroups()):
/// the gain if they were as fast.
std::optional<Bottleneck> findSlowGroup(const BottleneckSearch &search);
/// Twice the bandwidth of the network.
std::optional<Bottleneck> findBandwidth(const BottleneckSearch &search);
/// Transfers that take no time; an upper bound.
std::optional<Bottleneck> findExposedCommunication(const BottleneckSearch &search);
/// Stages of a pipeline that do not wait for each other; an upper bound.
std::optional<Bottleneck> findPipelineBubble(const BottleneckSearch &search);
/// A host that takes no time between ops; an upper bound.
std::optional<Bottleneck> findHostGap(const BottleneckSearch &search);
/// Copies to, from and on accelerators that take no time; an upper bound.
std::optional<Bottleneck> findCopies(const BottleneckSearch &search);
/// Input that is always there; an upper bound.
std::optional<Bottleneck> findInput(const BottleneckSearch &search);

} // namespace core
