#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <vector>

namespace core {

/// Why an op started when it did: the predecessor, by data or by device order, that finished last.
struct StartCause
{
    OpId op = NoOp; ///< NoOp: it could start at once
    bool isDeviceOrder = false; ///< waited for the device, not for data
};

/// A simulated execution of a graph. All times in nanoseconds from the start of the replay.
struct ReplayResult
{
    std::vector<std::int64_t> startNs; ///< by OpId
    std::vector<std::int64_t> endNs; ///< by OpId
    std::vector<StartCause> cause; ///< by OpId
    std::int64_t makespanNs = 0;
    /// When iteration i of worker w ended: iterationEndNs[w * iterationCount + i].
    /// See Graph::iterationEnds.
    std::vector<std::int64_t> iterationEndNs;
    std::int64_t wallNs = 0; ///< how long the replay itself took
};

/// Modified Kahn replay (dPRO §4.3), by events: a device never waits for an op that is not ready
/// yet while another one is. Deterministic: of ops that become ready together the one with the
/// smaller id is first. An op that a device sets back (Device::preempts) runs from its first start
/// to its last end.
///
/// Not monotone: where devices choose, a shorter op may make the replay longer (Graham 1969, Bounds
/// on multiprocessing timing anomalies); replayInOrder() is.
///
/// Throws Error if the graph has a cycle (an op that never becomes ready), naming it; Cancelled.
ReplayResult replay(const Graph &graph, const JobControl &control);

/// Walks back from the op that ends last (or from `last`) through the causes; in order of time.
std::vector<OpId> criticalPath(const Graph &graph, const ReplayResult &result, OpId last = NoOp);

} // namespace core
