#pragma once

#include "core/graph/build/graph_context.h"

#include <map>
#include <vector>

namespace core {

/// When an accelerator worked for each operator of the host, where a kernel has the operator's name
/// and no correlation with a call that launched it: TensorFlow's step statistics and timelines.
class NamedKernels
{
public:
    /// Empty where the worker's host records runtime calls, which say what launched a kernel.
    NamedKernels(const GraphContext &context, WorkerId worker);

    /// Aligned, in order, apart from each other; a host operator that is under way meanwhile waits
    /// for the device.
    const std::vector<TimeRange> &busyTimes(NameId name) const;

private:
    std::map<NameId, std::vector<TimeRange>> m_busy;
};

/// Adds edges between the host ops of an operator and the device ops of its name: a kernel is
/// launched by the part of the operator that ended last before it, and the part after it waits for
/// it. Host ops are those that addHostOps() cut by busyTimes().
void addNamedLaunches(GraphContext &context, WorkerId worker);

} // namespace core
