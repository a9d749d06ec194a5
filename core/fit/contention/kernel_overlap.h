#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"

#include <vector>

namespace core {

/// What was under way on an accelerator beside its kernels, by OpId: of computation on a stream as
/// parts of its time, 0..1; of other ops 0.
struct KernelOverlap
{
    std::vector<float> transfer; ///< data of its rank was on its way
    /// No data was, but a kernel of the rank waited for other ranks' to come: it holds
    /// multiprocessors, and moves nothing through the memory.
    std::vector<float> waiting;
    std::vector<bool> isCrowded; ///< other computation of the rank was
};

/// As measured. Throws Cancelled.
KernelOverlap kernelOverlap(const Graph &measured, const JobControl &control);

/// The devices on which accelerators communicate, and whose computation they do it beside
/// (Device::slows): links, of the ranks whose kernels carry their collectives and messages, and
/// streams with communication that is part of none that is known.
struct CommunicatingDevice
{
    DeviceId device;
    std::vector<WorkerId> workers; ///< ascending
};
std::vector<CommunicatingDevice> communicatingDevices(const Graph &graph);

/// Computation on a stream of an accelerator.
bool isKernel(const Graph &graph, std::size_t op);

} // namespace core
