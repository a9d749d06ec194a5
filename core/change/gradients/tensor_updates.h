#pragma once

#include "core/base/job_control.h"
#include "core/change/measured_job.h"
#include "core/graph/graph_additions.h"
#include "core/graph/graph_builder.h"
#include "core/model/slice_index.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace core {

/// Updates of single parameters, where a recorded optimizer updates all of them at once. An update
/// takes its bytes' share of the optimizer's time and, on hosts, the time of averaging the
/// gradient, which copying it into a bucket did. It is slowed down beside communication as the
/// recorded ops would be (Graph::stretchShare).
class TensorUpdates
{
public:
    /// Takes the optimizer's time out of `builder`, which is of the job's graph: of its ops on the
    /// host or, where gradients are reduced on accelerators, of its kernels, whose delay is their
    /// launch's. Throws Cancelled.
    TensorUpdates(const MeasuredJob &job, const JobControl &control, GraphBuilder &builder);

    /// Takes the time of copies into and out of buckets, and of the wait for these. `next`: by
    /// OpId, the op behind on its thread.
    void removeCopies(const GradientStep &step, const std::vector<OpId> &next,
                      GraphBuilder &builder);

    /// A rank's step as recorded, and in the graph to which updates are added.
    struct Step
    {
        const GradientStep &measured, &added;
    };
    /// Threads that update, made when first asked for; of one graph.
    using Threads = std::map<WorkerId, DeviceId>;
    /// Adds the update of a parameter. The op of `following`, the rank's step in the next iteration
    /// (or null), that first uses the parameter waits for it.
    OpId add(const Step &step, std::size_t parameter, const Step *following, Threads &threads,
             GraphAdditions &additions) const;

private:
    struct HostTime
    {
        double ns = 0;
        double stretchedNs = 0; ///< of it, framework ops' own; see Graph::stretchShare
        void add(double durationNs, float stretchShare)
        {
            ns += durationNs;
            stretchedNs += static_cast<double>(stretchShare) * durationNs;
        }
    };

    void takeOptimizersTime(GraphBuilder &builder);
    void findBusyCores();
    void removeDeviceCopies(const GradientStep &step, GraphBuilder &builder) const;
    void removeHostCopies(const GradientStep &step, const std::vector<OpId> &next,
                          GraphBuilder &builder);
    std::int64_t bucketCopyNs(SliceId slice) const;
    void setCost(const GradientStep &step, std::size_t parameter, OpSpec &update) const;
    DeviceId updateDevice(const GradientStep &step, std::size_t parameter, Threads &threads,
                          GraphAdditions &additions) const;
    OpId useOf(const Step &following, std::size_t parameter) const;

    MeasuredJob m_job;
    SliceIndex m_slices;
    bool m_isOnDevice;
    std::vector<OpId> m_launchOf; ///< by OpId; NoOp: none
    std::vector<double> m_bytesOfStep; ///< by gradient step: bytes of all its gradients
    std::map<std::pair<WorkerId, std::int32_t>, HostTime> m_optimizers; ///< by worker and iteration
    std::map<OpId, double> m_averagingNs; ///< by gradient
    std::set<WorkerId> m_busyCores; ///< of ranks whose layers and network keep the cores busy
};

/// The worker's device in `devices`, made when first asked for.
DeviceId deviceOf(std::map<WorkerId, DeviceId> &devices, WorkerId worker, const char *name,
                  GraphAdditions &additions);

} // namespace core
