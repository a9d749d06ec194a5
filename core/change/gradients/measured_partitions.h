#pragma once

#include "core/change/gradients/partition_changes.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <optional>
#include <string>

namespace core {

/// How a program sent its gradients in partitions: by priority (P3), else by readiness. The size is
/// that of meta.json, else of the largest partition; a credit is that of meta.json, else absent.
/// Empty where there is no isSentInPartitions().
std::optional<PartitionChanges> recordedPartitions(const Trace &trace, const Graph &graph);

/// The changes with the order and size of partitions as measured where they leave them open; empty
/// where that is how the job sends them anyway. (A measured credit is not carried over to
/// partitions of another size: programs count it in partitions, as BYTEPS_SCHEDULING_CREDIT.) There
/// is no partitionObstacle(). schedule=wfbp stays as it is.
PartitionChanges withRecordedPartitions(PartitionChanges changes, const Trace &trace,
                                        const Graph &graph);

/// Why gradients cannot be sent so; empty where they can.
std::optional<std::string> partitionObstacle(const PartitionChanges &changes, const Trace &trace,
                                             const Graph &graph);

} // namespace core
