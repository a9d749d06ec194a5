#pragma once

#include "tests/collectors/nccl/simulated_rank.h"

#include <functional>

namespace tests {

struct SimulatedJob
{
    std::uint64_t communicator = 0xabcdef;
    SimulatedRank::Shape shape;
    int firstRank = 0, lastRank = 3; ///< those in this process
    int allReduces = 1; ///< of every rank
    unsigned pauseUs = 0; ///< of every rank before each
    bool hasExchanges = true; ///< and one with the neighbours after each
    std::function<void(int)> onAllReduce; ///< number of those that the first rank has done
};

/// Runs the ranks, each with a thread that enqueues and one that is its proxy.
void runSimulatedJob(LoadedPlugin &plugin, const SimulatedJob &job);

} // namespace tests
