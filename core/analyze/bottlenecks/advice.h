#pragma once

#include "core/analyze/groups/communication_roles.h"
#include "core/analyze/report/host_calls.h"
#include "core/graph/graph.h"
#include "core/measure/framework.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// What a bottleneck's advice can name: the calls of the framework that the trace is of, by the
/// names in it, the way in which its ranks exchange gradients, and what groups of them divide among
/// their ranks; where these are not known, what every program can do.
class Advice
{
public:
    /// `graph` is as measured.
    Advice(const Trace &trace, const Graph &graph);

    /// `roles`: whose communication it is; see communicationRoles().
    std::string onBandwidth(const std::vector<RoleShare> &roles) const;
    /// `bucketNote`: a sentence on why other gradient buckets are not advised; empty: none.
    std::string onExposedCommunication(const std::vector<RoleShare> &roles,
                                       const std::string &bucketNote = {}) const;
    /// Gradients are exchanged in buckets of DDP.
    bool isOnBuckets() const { return m_exchange == Exchange::DdpBuckets; }
    /// Where stages of a pipeline wait for each other.
    std::string onPipeline() const;
    std::string onHost(bool isAccelerated) const;
    std::string onHostCalls(HostCallKind kind) const { return hostCallRemedy(kind, m_framework); }
    std::string onInput() const;
    /// Where the input of "rank 3", or of "ranks 3, 5", alone is slow.
    std::string onInputOf(const std::string &ranks) const;

private:
    enum class Exchange {
        Other,
        NotTraining, ///< nothing tells of gradients: an MPI program
        DdpBuckets, ///< PyTorch's DistributedDataParallel
        Partitions, ///< all-reduces of tensors or parts of them, in an order of the program's own
        Messages ///< between two ranks each: a parameter server, a pipeline
    };

    Exchange exchangeOf(const Trace &trace, const Graph &graph) const;
    std::string onGradients() const;
    std::string onShards() const;
    std::string onRole(const RoleShare &share) const;
    /// " (text)" if the trace is of PyTorch.
    std::string ofPyTorch(const char *text) const;

    Framework m_framework;
    Exchange m_exchange;
    bool m_sendsByPriority; ///< of Partitions: what is needed first goes first
    bool m_hasInputWorkers; ///< processes that load the input in the background
};

} // namespace core
