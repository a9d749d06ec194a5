#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstdint>
#include <unordered_map>

namespace core {

/// Which part of a layer's time on a host goes into setting and copying memory (its gradient is
/// zeroed, say): a faster core does that no faster. On an accelerator such work is ops of their own
/// (OpKind::Memory).
class MemoryShares
{
public:
    MemoryShares() = default;
    /// `recorded`: a graph of the trace whose ops stand for its slices. Throws Cancelled.
    MemoryShares(const Graph &recorded, const Trace &trace, const JobControl &control);

    /// 0..1, of the op that stands for the slice.
    double of(SliceId slice) const;

private:
    std::unordered_map<std::uint64_t, float> m_shares; ///< by slice, those above 0
};

} // namespace core
