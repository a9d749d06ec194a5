// One graph, many threads: what the window does when several what-ifs run while it paints.
#include "core/graph/graph_builder.h"
#include "core/replay/replay.h"
#include "tests/support/in_threads.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace core;

namespace {

constexpr std::size_t threadCount = 4;
constexpr std::uint32_t rankCount = 4;
constexpr std::int64_t layerCount = 1500;
constexpr int rounds = 5;

DeviceId addDevice(GraphBuilder &builder, const std::string &name, bool isLink)
{
    Device device;
    device.name = name;
    device.isLink = isLink;
    device.discipline = isLink ? Discipline::Shared : Discipline::Fifo;
    device.capacity = isLink ? 2 : 1;
    return builder.addDevice(device);
}

/// Every rank computes layer after layer; each layer's transfer waits for all ranks and shares the
/// link with others.
Graph allReduceGraph()
{
    GraphBuilder builder({ "" });
    std::array<DeviceId, rankCount> hosts;
    for (std::uint32_t rank = 0; rank < rankCount; ++rank) {
        hosts[rank] = addDevice(builder, "rank " + std::to_string(rank), false);
    }
    const DeviceId link = addDevice(builder, "link", true);
    std::array<OpId, rankCount> last {};
    for (std::int64_t layer = 0; layer < layerCount; ++layer) {
        OpSpec transfer;
        transfer.device = link;
        transfer.kind = OpKind::Communication;
        transfer.durationNs = 900 + 37 * (layer % 11);
        const OpId transferOp = builder.addOp(transfer);
        for (std::uint32_t rank = 0; rank < rankCount; ++rank) {
            OpSpec compute;
            compute.device = hosts[rank];
            compute.kind = OpKind::Compute;
            compute.worker = WorkerId { rank };
            compute.durationNs = 1000 + 13 * ((layer + rank) % 7);
            const OpId computeOp = builder.addOp(compute);
            if (layer > 0) {
                builder.addEdge(last[rank], computeOp, EdgeKind::HostOrder);
            }
            builder.addEdge(computeOp, transferOp, EdgeKind::Collective);
            last[rank] = computeOp;
        }
    }
    return builder.build();
}

bool isSame(const ReplayResult &a, const ReplayResult &b)
{
    return a.makespanNs == b.makespanNs && a.startNs == b.startNs && a.endNs == b.endNs;
}

/// A replay that is cancelled from another thread ends with Cancelled or with the right answer.
bool survivesCancel(const Graph &graph, const ReplayResult &expected)
{
    std::atomic<bool> isCancelled { false };
    std::atomic<bool> isRight { true };
    const JobControl control([&] { return isCancelled.load(); }, {});
    tests::inThreads(threadCount, [&](std::size_t index) {
        if (index == 0) {
            isCancelled = true;
            return;
        }
        try {
            if (!isSame(replay(graph, control), expected)) {
                isRight = false;
            }
        } catch (const Cancelled &) {
        }
    });
    return isRight;
}

} // namespace

int main()
{
    const Graph graph = allReduceGraph();
    const ReplayResult expected = replay(graph, JobControl());
    const std::vector<OpId> expectedPath = criticalPath(graph, expected);

    std::atomic<int> wrong { 0 };
    tests::inThreads(threadCount, [&](std::size_t) {
        for (int round = 0; round < rounds; ++round) {
            const ReplayResult result = replay(graph, JobControl());
            if (!isSame(result, expected) || criticalPath(graph, result) != expectedPath) {
                ++wrong;
            }
        }
    });
    if (wrong > 0) {
        std::printf("%d replays of the same graph differ\n", wrong.load());
        return EXIT_FAILURE;
    }
    if (expected.makespanNs < 1000 * layerCount) {
        std::printf("makespan %lld ns is shorter than the computation alone\n",
                    static_cast<long long>(expected.makespanNs));
        return EXIT_FAILURE;
    }
    for (int round = 0; round < rounds; ++round) {
        if (!survivesCancel(graph, expected)) {
            std::printf("a cancelled replay delivered a wrong result\n");
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
