// What holds of every rewriting of a data-parallel job, tried on random jobs.
#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfers.h"
#include "core/change/unroll.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph_builder.h"
#include "core/replay/replay_base.h"

#include <QTest>

#include <cmath>
#include <map>
#include <random>

using namespace core;

namespace {

constexpr int Rounds = 1000;
constexpr double AlphaNs = 20, BetaNsPerByte = 0.5;

/// DDP on a few ranks, three iterations, with random layers, times and buckets: on hosts with a
/// CPU backend, or on accelerators whose kernels the hosts launch.
class RandomJob
{
public:
    explicit RandomJob(std::mt19937 &random)
        : m_random(random)
        , m_ranks(static_cast<std::uint32_t>(2 + pick(2)))
        , m_isOnDevice(pick(1) == 0)
    {
        for (int p = 2 + pick(6); p > 0; --p)
            m_bytes.push_back(static_cast<std::uint64_t>(10 + pick(2000)));
    }

    Graph graph()
    {
        addDevices();
        std::vector<OpId> begins;
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) {
            begins.push_back(add(rank, m_hosts[rank], OpKind::Virtual, 0, 0));
            m_lastOnHost.push_back(begins.back());
            m_lastOnStream.push_back(NoOp);
        }
        m_ends.resize(m_ranks);
        for (std::int32_t iteration = 0; iteration < Iterations; ++iteration)
            addIteration(iteration);
        std::vector<OpId> ends;
        for (const std::vector<OpId> &ofRank : m_ends)
            ends.insert(ends.end(), ofRank.begin(), ofRank.end());
        m_builder.setIterations(begins, ends, Iterations);
        return measured(m_builder.build());
    }

    Trace trace() const
    {
        Trace trace;
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) {
            Worker &worker = trace.workers.emplace_back();
            worker.id = WorkerId(rank);
            worker.rank = static_cast<int>(rank);
        }
        return trace;
    }

private:
    static constexpr std::int32_t Iterations = 3;

    int pick(int most) { return std::uniform_int_distribution<int>(0, most)(m_random); }

    void addDevices()
    {
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank)
            for (std::vector<DeviceId> *devices : { &m_hosts, &m_streams }) {
                Device device;
                device.worker = WorkerId(rank);
                device.isStream = devices == &m_streams;
                devices->push_back(m_builder.addDevice(device));
            }
        Device link;
        link.isLink = true;
        link.isHostLink = !m_isOnDevice;
        link.discipline = Discipline::Shared;
        m_link = m_builder.addDevice(link);
    }

    OpId add(std::uint32_t rank, DeviceId device, OpKind kind, std::int64_t ns,
             std::int32_t iteration)
    {
        OpSpec spec;
        spec.worker = WorkerId(rank);
        spec.device = device;
        spec.kind = kind;
        spec.durationNs = ns;
        spec.iteration = iteration;
        spec.measuredStartNs = static_cast<std::int64_t>(m_builder.size());
        return m_builder.addOp(spec);
    }

    OpId onHost(std::uint32_t rank, std::int64_t ns, std::int32_t iteration)
    {
        const OpId op = add(rank, m_hosts[rank], m_isOnDevice ? OpKind::Host : OpKind::Compute, ns,
                            iteration);
        m_builder.addEdge(m_lastOnHost[rank], op, EdgeKind::HostOrder);
        return m_lastOnHost[rank] = op;
    }

    /// The host's op, or the kernel that it launches.
    OpId work(std::uint32_t rank, std::int64_t ns, std::int32_t iteration)
    {
        if (!m_isOnDevice)
            return onHost(rank, ns, iteration);
        const OpId launch = onHost(rank, 1 + pick(20), iteration);
        const OpId kernel = add(rank, m_streams[rank], OpKind::Compute, ns, iteration);
        m_builder.addEdge(launch, kernel, EdgeKind::Launch);
        if (m_lastOnStream[rank] != NoOp)
            m_builder.addEdge(m_lastOnStream[rank], kernel, EdgeKind::StreamOrder);
        return m_lastOnStream[rank] = kernel;
    }

    void addIteration(std::int32_t iteration)
    {
        std::vector<GradientStep> steps(m_ranks);
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank)
            addPasses(rank, iteration, steps[rank]);
        for (std::size_t next = 0; next < m_bytes.size();) {
            const auto left = static_cast<int>(m_bytes.size() - next);
            const auto count = static_cast<std::size_t>(1 + pick(left - 1));
            addBucket(steps, next, count);
            next += count;
        }
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) {
            addCopies(rank, steps[rank]);
            m_builder.addGradientStep(steps[rank]);
            const OpId end = add(rank, m_hosts[rank], OpKind::Virtual, 0, iteration);
            m_builder.addEdge(m_lastOnHost[rank], end, EdgeKind::Iteration);
            if (m_isOnDevice) // the host waits for its accelerator
                m_builder.addEdge(m_lastOnStream[rank], end, EdgeKind::Sync);
            m_lastOnHost[rank] = end;
            m_ends[rank].push_back(end);
        }
    }

    void addPasses(std::uint32_t rank, std::int32_t iteration, GradientStep &step)
    {
        step.worker = WorkerId(rank);
        step.iteration = iteration;
        step.parameterBytes = m_bytes;
        for (std::size_t p = 0; p < m_bytes.size(); ++p)
            step.forwards.insert(step.forwards.begin(), work(rank, 1 + pick(300), iteration));
        for (std::size_t p = 0; p < m_bytes.size(); ++p) {
            const OpId gradient = work(rank, 1 + pick(600), iteration);
            step.gradients.push_back(m_lastOnHost[rank]);
            if (m_isOnDevice)
                step.kernels.push_back(gradient);
        }
    }

    void addBucket(std::vector<GradientStep> &steps, std::size_t first, std::size_t count)
    {
        CollectiveNode node;
        node.name = "all_reduce";
        node.iteration = steps.front().iteration;
        for (std::size_t p = first; p < first + count; ++p)
            node.bytes += m_bytes[p];
        node.arrival = add(0, m_link, OpKind::Virtual, 0, steps.front().iteration);
        node.transfer
            = add(0, m_link, OpKind::Communication,
                  std::llround(AlphaNs + BetaNsPerByte * wireBytes(node.name, node.bytes, m_ranks)),
                  steps.front().iteration);
        m_builder.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
        for (GradientStep &step : steps) {
            const std::uint32_t rank = step.worker.value;
            const OpId last = step.gradients[first + count - 1];
            const OpId ready = add(rank, m_isOnDevice ? m_streams[rank] : m_hosts[rank],
                                   OpKind::Virtual, 0, step.iteration);
            m_builder.addEdge(last, ready, m_isOnDevice ? EdgeKind::Launch : EdgeKind::Data);
            if (m_isOnDevice)
                m_builder.addEdge(step.kernels[first + count - 1], ready, EdgeKind::Sync);
            m_builder.addEdge(ready, node.arrival, EdgeKind::Collective);
            node.parts.push_back({ step.worker, NoSlice, 0, 0, ready });
            step.buckets.push_back({ m_builder.collectives().size(), first, count });
        }
        m_builder.addCollective(node);
    }

    void addCopies(std::uint32_t rank, GradientStep &step)
    {
        for (const GradientStep::Bucket &bucket : step.buckets)
            for (std::size_t p = 0; p < bucket.parameterCount; ++p) {
                step.copies.push_back(work(rank, 1 + pick(20), step.iteration));
                if (p == 0)
                    m_builder.addEdge(m_builder.collectives()[bucket.collective].transfer,
                                      step.copies.back(), EdgeKind::Sync);
            }
        step.copyStarts = step.copies;
        m_builder.op(work(rank, 1 + pick(100), step.iteration)).phase = Phase::Optimizer;
    }

    /// As recorded: with the times that it takes.
    static Graph measured(Graph graph)
    {
        const ReplayResult result = replay(graph, {});
        graph.measuredStartNs = result.startNs;
        for (CollectiveNode &node : graph.collectives)
            for (CollectiveNode::Part &part : node.parts) {
                part.startNs = result.endNs[part.ready.value];
                part.endNs = result.endNs[node.transfer.value];
            }
        return graph;
    }

    std::mt19937 &m_random;
    std::uint32_t m_ranks;
    bool m_isOnDevice;
    std::vector<std::uint64_t> m_bytes; ///< in the order of readiness
    GraphBuilder m_builder { { "", "all_reduce" } };
    std::vector<DeviceId> m_hosts, m_streams; ///< by rank
    DeviceId m_link;
    std::vector<OpId> m_lastOnHost, m_lastOnStream; ///< by rank
    std::vector<std::vector<OpId>> m_ends; ///< by rank
};

std::map<std::int64_t, std::uint64_t> bytesOfIterations(const Graph &graph)
{
    std::map<std::int64_t, std::uint64_t> bytes;
    for (const CollectiveNode &node : graph.collectives)
        bytes[node.iteration] += node.bytes;
    return bytes;
}

/// No op ends before what it needs has, one after the other.
void verifyPaths(const Graph &graph, const ReplayResult &result)
{
    std::vector<std::int64_t> pathNs(graph.size(), 0);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        for (const Edge &edge : graph.predecessors(OpId(i)))
            pathNs[i] = std::max(pathNs[i], pathNs[edge.op.value]);
        pathNs[i] += graph.delayNs[i] + graph.durationNs[i];
        QVERIFY(result.endNs[i] >= pathNs[i]);
    }
}

/// A base is replayed from the first change on.
void verifyIncremental(const Graph &graph, std::mt19937 &random)
{
    const ReplayBase base(std::make_shared<const Graph>(graph), {});
    for (int change = 0; change < 3; ++change) {
        Graph changed = graph;
        const std::size_t op
            = std::uniform_int_distribution<std::size_t>(0, graph.size() - 1)(random);
        if (graph.kind[op] != OpKind::Virtual)
            changed.durationNs[op] = change * 100;
        const ReplayResult whole = replay(changed, {}), again = base.replay(changed, {});
        QCOMPARE(again.startNs, whole.startNs);
        QCOMPARE(again.endNs, whole.endNs);
        QCOMPARE(again.iterationEndNs, whole.iterationEndNs);
    }
}

BucketLimits randomLimits(std::mt19937 &random)
{
    std::uniform_int_distribution<std::uint64_t> bytes(1, 5000);
    return { bytes(random), bytes(random) };
}

/// Each no later than before, of iterations.
void verifyNotLater(const ReplayResult &result, const ReplayResult &before)
{
    QCOMPARE(result.iterationEndNs.size(), before.iterationEndNs.size());
    for (std::size_t i = 0; i < result.iterationEndNs.size(); ++i)
        QVERIFY(result.iterationEndNs[i] <= before.iterationEndNs[i]);
}

/// What the repetitions of an unrolled job take, on one rank.
std::vector<std::int64_t> repetitionsNs(const Graph &unrolled, const Graph &once,
                                        const ReplayResult &result, std::size_t rank)
{
    const auto all = static_cast<std::size_t>(unrolled.iterationCount);
    const auto own = static_cast<std::size_t>(once.iterationCount);
    std::vector<std::int64_t> repetitions;
    std::int64_t beginNs = result.endNs[unrolled.iterationBegins[rank].value];
    for (std::size_t last = rank * all + own - 1; last < (rank + 1) * all; last += own) {
        repetitions.push_back(result.iterationEndNs[last] - beginNs);
        beginNs = result.iterationEndNs[last];
    }
    return repetitions;
}

} // namespace

class GradientPropertiesTest : public QObject
{
    Q_OBJECT

private slots:
    void otherBuckets();
    void fasterLinksAndHostsAreNotSlower();
    void partitions();
    void unrolledJobsGoOnAsTheyAre();
};

void GradientPropertiesTest::otherBuckets()
{
    std::mt19937 random(21);
    for (int round = 0; round < Rounds; ++round) {
        RandomJob job(random);
        const Graph graph = job.graph();
        const Trace trace = job.trace();
        const Graph changed
            = rebucket(graph, trace, fitLinks(graph, trace), randomLimits(random), {});
        QCOMPARE(bytesOfIterations(changed), bytesOfIterations(graph));
        QVERIFY(!rebucketObstacle(changed));
        verifyPaths(changed, replay(changed, {}));
        verifyIncremental(changed, random);
    }
}

/// Streams and the link serve in an order that no time changes: gradients are ready one after the
/// other on every rank.
void GradientPropertiesTest::fasterLinksAndHostsAreNotSlower()
{
    std::mt19937 random(22);
    for (int round = 0; round < Rounds; ++round) {
        RandomJob job(random);
        const Graph graph = job.graph();
        const Trace trace = job.trace();
        const LinkModels links = fitLinks(graph, trace);
        Graph changed = rebucket(graph, trace, links, randomLimits(random), {});
        const ReplayResult before = replay(changed, {});
        Strategy faster;
        faster.set({ "bandwidth_scale", 2 });
        if (!rateObstacle(links.begin()->second))
            verifyNotLater(
                replay(rewriteTransfers(changed, trace, links, core::linkChanges(faster)), {}),
                before);
        for (const OpKind kind : { OpKind::Host, OpKind::Compute }) {
            for (std::size_t i = 0; i < changed.size(); ++i)
                if (changed.kind[i] == kind)
                    changed.durationNs[i] /= 2;
            verifyNotLater(replay(changed, {}), before);
        }
    }
}

void GradientPropertiesTest::partitions()
{
    std::mt19937 random(23);
    for (int round = 0; round < Rounds; ++round) {
        RandomJob job(random);
        const Graph graph = job.graph();
        const Trace trace = job.trace();
        PartitionLimits limits;
        limits.partitionBytes = std::uniform_int_distribution<std::uint64_t>(50, 3000)(random);
        const Graph changed
            = withPartitions(graph, trace, fitLinks(graph, trace),
                             round % 2 == 0 ? Schedule::P3 : Schedule::Fifo, limits, {});
        QCOMPARE(bytesOfIterations(changed), bytesOfIterations(graph));
        const ReplayResult result = replay(changed, {});
        verifyPaths(changed, result);
        verifyIncremental(changed, random);
        std::size_t updates = 0;
        for (std::uint32_t i = 0; i < changed.size(); ++i)
            updates += changed.names[changed.name[i].value] == "update" ? 1 : 0;
        QCOMPARE(updates,
                 graph.gradientSteps.size() * graph.gradientSteps.front().parameterBytes.size());
    }
}

/// The ranks wait for each other in each iteration: how far apart they begin tells nothing after
/// the first time. Partitions leave something over to the next iteration, but all of it has come
/// before the next gradient is ready.
void GradientPropertiesTest::unrolledJobsGoOnAsTheyAre()
{
    std::mt19937 random(24);
    for (int round = 0; round < Rounds; ++round) {
        RandomJob job(random);
        const Graph graph = job.graph();
        const Trace trace = job.trace();
        const Graph often = unrolled(graph, 4);
        const ReplayResult once = replay(graph, {}), result = replay(often, {});
        verifyPaths(often, result);
        const Graph partitioned
            = withPartitions(often, trace, fitLinks(graph, trace),
                             round % 2 == 0 ? Schedule::P3 : Schedule::Fifo, {}, {});
        const ReplayResult partitionedResult = replay(partitioned, {});
        for (std::size_t rank = 0; rank < graph.workerCount(); ++rank) {
            const std::vector<std::int64_t> takenNs = repetitionsNs(often, graph, result, rank);
            QCOMPARE(takenNs.size(), std::size_t { 4 });
            QCOMPARE(takenNs[0], repetitionsNs(graph, graph, once, rank)[0]);
            QCOMPARE(takenNs[2], takenNs[1]);
            QCOMPARE(takenNs[3], takenNs[1]);
            const std::vector<std::int64_t> partitionedNs
                = repetitionsNs(partitioned, graph, partitionedResult, rank);
            QCOMPARE(partitionedNs[3], partitionedNs[2]);
        }
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(GradientPropertiesTest)
#include "tst_gradient_properties.moc"
