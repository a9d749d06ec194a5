#pragma once

#include "tests/collectors/nccl/loaded_plugin.h"

#include <vector>

namespace tests {

/// What NCCL's threads call for one rank of one communicator, in NCCL's order (2.23 to 2.31) over
/// NET/Socket: receives are started twice, states of other steps bring sizes that are not theirs.
class SimulatedRank
{
public:
    struct Shape
    {
        int rankCount = 4, channels = 2, loops = 2;
        std::uint64_t bytesPerStep = 65536;

        /// Transfers of one direction and channel of a ring all-reduce: two slices a chunk.
        int stepsOfAllReduce() const { return loops * 2 * (rankCount - 1) * 2; }
    };

    SimulatedRank(LoadedPlugin &plugin, std::uint64_t communicator, int rank, const Shape &shape);

    void finalize() { m_plugin.finalize(m_context); }
    void *context() const { return m_context; }

    /// On the thread of the API: returns the collective's handle.
    void *enqueueAllReduce();
    /// On the proxy's thread.
    void progressAllReduce(void *operation) const;
    /// A send to the next rank and a receive from the one before, in one group.
    struct Exchange
    {
        void *send = nullptr, *receive = nullptr;
    };
    Exchange enqueueExchange();
    void progressExchange(const Exchange &exchange) const;

    int next() const { return (m_rank + 1) % m_shape.rankCount; }
    int previous() const { return (m_rank + m_shape.rankCount - 1) % m_shape.rankCount; }

private:
    void *startOp(void *operation, int channel, bool isSend, int steps) const;
    void runSteps(void *sendOp, void *receiveOp, int steps) const;
    void stopSend(void *step, int index) const;
    void stopReceive(void *step, int index) const;
    void *startKernel(void *operation, int channel) const;
    void stopKernel(void *kernel, int channel) const;

    LoadedPlugin &m_plugin;
    std::uint64_t m_communicator;
    int m_rank;
    Shape m_shape;
    std::uint64_t m_sequence = 0;
    void *m_context;
};

} // namespace tests
