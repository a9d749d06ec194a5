#pragma once

#include "core/fit/layers/memory_rate.h"
#include "core/fit/layers/op_traffic.h"
#include "core/model/slice_index.h"
#include "core/model/trace.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace core {

/// What the shapes say of a piece of work.
struct WorkShapes
{
    double knownShare = 0; ///< of its time, that is ops with shapes
    double fixedShare = 0; ///< of its time, that is ops on nothing but weights
    double fixedBytes = 0; ///< that the others read and write, however large the batch
};

/// The ops of one worker with their shapes. Refers to the trace.
class LayerShapes
{
public:
    /// `tracks` are the worker's.
    LayerShapes(const Trace &trace, const std::vector<const Track *> &tracks,
                const OpShapes &shapes, const MemoryPasses &passes);

    /// Of a slice of a host thread with all that it contains.
    WorkShapes ofHostSlice(SliceIndex::Place place) const;
    /// Of the kernels that an op launched; `place` is the op's.
    WorkShapes ofLaunches(SliceIndex::Place place) const;

    bool hasShapes(SliceIndex::Place place) const;
    /// Bytes that a streaming op passes over; 0 for others.
    double streamedBytes(SliceIndex::Place place) const;
    /// Calls `visit` with each outermost streaming op.
    void visitStreamingOps(const std::function<void(SliceIndex::Place)> &visit) const;

private:
    std::string_view nameOf(SliceIndex::Place place) const;
    double elementBytes(SliceIndex::Place place) const;
    bool isOnWeightsOnly(SliceIndex::Place place) const;
    bool holdsProducts(SliceIndex::Place place) const;
    bool isProduct(SliceIndex::Place place) const;
    std::optional<WorkShapes> ofOp(SliceIndex::Place place) const;
    void findParameters(const Track &track);
    void findRows(const Track &track);

    const Trace &m_trace;
    const OpShapes &m_shapes;
    MemoryPasses m_passes;
    std::vector<TrackId> m_threads; ///< with shapes
    BatchShapes m_batch;
};

} // namespace core
