#pragma once

#include "core/change/gradients/gradient_rewriter.h"
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
    /// Takes the optimizer's time out of `builder`: of its ops on the host or, where gradients are
    /// reduced on accelerators, of its kernels, whose delay is their launch's. `next`: by OpId, the
    /// op behind on its thread.
    TensorUpdates(const PlannedJob &job, const std::vector<OpId> &next, GraphBuilder &builder);

    /// Takes the time of copies into and out of buckets, and of the wait for these.
    void removeCopies(const GradientStep &step);
    /// Adds the update of a parameter after `transfers`. The op of `following`, the rank's step in
    /// the next iteration (or null), that first uses the parameter waits for it.
    void add(const GradientStep &step, std::size_t parameter, const std::vector<OpId> &transfers,
             const GradientStep *following);

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

    void takeOptimizersTime();
    void findBusyCores();
    void removeDeviceCopies(const GradientStep &step);
    void removeHostCopies(const GradientStep &step);
    std::int64_t bucketCopyNs(SliceId slice) const;
    void setCost(const GradientStep &step, std::size_t parameter, OpSpec &update) const;
    DeviceId updateDevice(const GradientStep &step, std::size_t parameter);
    void addUse(OpId update, const GradientStep &following, std::size_t parameter);

    const PlannedJob &m_job;
    const std::vector<OpId> &m_next;
    GraphBuilder &m_builder;
    SliceIndex m_slices;
    bool m_isOnDevice;
    std::vector<OpId> m_launchOf; ///< by OpId; NoOp: none
    std::vector<double> m_bytesOfStep; ///< by gradient step: bytes of all its gradients
    std::map<std::pair<WorkerId, std::int32_t>, HostTime> m_optimizers; ///< by worker and iteration
    std::map<OpId, double> m_averagingNs; ///< by gradient
    std::set<WorkerId> m_busyCores; ///< of ranks whose layers and network keep the cores busy
    std::map<WorkerId, DeviceId> m_devices; ///< threads that update
};

/// The worker's device in `devices`, made when first asked for.
DeviceId deviceOf(std::map<WorkerId, DeviceId> &devices, WorkerId worker, const char *name,
                  GraphBuilder &builder);

} // namespace core
