#pragma once

#include "core/graph/graph.h"
#include "core/graph/graph_builder.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace core {

/// What it takes to update each parameter by itself, when its gradient has come, where a recorded
/// optimizer updates all of them at once: its bytes' share of the optimizer's time; and, on hosts,
/// averaging the gradient, which copying it into a bucket did. It is slowed down beside
/// communication as the recorded ops would be (Graph::stretchShare).
class SliceUpdates
{
public:
    /// Takes the optimizer's time out of `builder`, which is of `graph`: of its ops on the host or,
    /// where gradients are reduced on accelerators, of its kernels, whose delay is their launch's.
    /// `launchOf`: by OpId; NoOp for ops of hosts.
    SliceUpdates(const Graph &graph, const std::vector<OpId> &launchOf, bool isOnDevice,
                 GraphBuilder &builder);

    /// So long the op of a gradient took to copy it into a bucket.
    void addAveraging(OpId gradient, std::int64_t ns)
    {
        m_averagingNs[gradient] += static_cast<double>(ns);
    }

    struct Cost
    {
        std::int64_t durationNs = 0;
        float stretchShare = 0;
    };
    /// `step`: one of the graph's.
    Cost costOf(const GradientStep &step, std::size_t parameter) const;

    /// The worker's layers work on the host's cores themselves, and have to leave some of these to
    /// the network: what another thread does takes their time.
    bool areCoresBusy(WorkerId worker) const { return m_busyCores.contains(worker); }

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

    void findBusyCores(const Graph &graph);

    const GradientStep *m_steps; ///< of the graph
    std::vector<double> m_bytesOfStep; ///< by place among these: of all its gradients
    std::map<std::pair<WorkerId, std::int32_t>, HostTime> m_optimizers; ///< by worker and iteration
    std::map<OpId, double> m_averagingNs; ///< by gradient
    std::set<WorkerId> m_busyCores;
};

} // namespace core
