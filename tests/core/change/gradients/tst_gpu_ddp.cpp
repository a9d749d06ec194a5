#include "core/change/change_text.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/pipeline/pipeline.h"
#include "tests/core/change/gradients/recorded_job.h"
#include "tests/support/predict.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>

using namespace core;

namespace {

constexpr std::uint64_t Mib = 1 << 20;
constexpr double SlowLink = 3.125, FastLink = 12.5; ///< bytes/ns: 25 and 100 Gbit/s

/// 88 MiB in 16 layers: communication takes longer than the backward pass on the slow link, and
/// not on the fast one.
tests::GpuDdpJob job()
{
    tests::GpuDdpJob made;
    for (const std::uint64_t mib : { 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 16, 8, 8, 4, 2 })
        made.layerBytes.push_back(mib * Mib);
    made.bucketBytes = 5 * Mib;
    made.slowness = { 1, 1.02, 1, 1.05 };
    return made;
}

Prediction predicted(const LoadedProject &project, const std::vector<std::string> &words)
{
    return tests::predict(*project.trace, project.graph, parseStrategy(words), {});
}

/// Within `share` of the truth.
void compareTimes(const Prediction &result, const tests::GpuDdpJob &truth, double share)
{
    const auto truthNs = static_cast<double>(iterationNsOf(truth));
    const double error = static_cast<double>(result.predictedNs) / truthNs - 1;
    QVERIFY2(std::abs(error) <= share,
             qPrintable(QStringLiteral("%1 ns instead of %2: %3 %")
                            .arg(result.predictedNs)
                            .arg(truthNs)
                            .arg(100 * error)));
}

/// What partitions of all gradients take of the job, by the rules of P3 (or, not by urgency, in the
/// order of readiness): a partition is launched by a thread of its own when its gradient is ready,
/// goes over the link when what was before it is done, and when all partitions of a layer have
/// come, the layer is updated on the model's stream; the next forward pass waits layer by layer.
/// Gradients of a compiled backward pass are all ready at its end. All ranks are alike. Times are
/// ns.
class PartitionedJob
{
public:
    PartitionedJob(const tests::GpuDdpJob &ofJob, std::uint64_t partitionBytes, bool isByUrgency,
                   bool isCompiled)
        : m_job(ofJob)
        , m_isByUrgency(isByUrgency)
        , m_isCompiled(isCompiled)
    {
        for (const std::uint64_t bytes : ofJob.layerBytes) {
            m_all += bytes;
            m_partitions.emplace_back();
            for (std::uint64_t left = bytes; left > 0; left -= m_partitions.back().back())
                m_partitions.back().push_back(std::min(left, partitionBytes));
        }
    }

    std::int64_t iterationNs()
    {
        std::int64_t endNs = 0, iterationNs = 0;
        for (int i = 0; i < m_job.iterations; ++i) {
            const std::int64_t startNs = endNs;
            endNs = runIteration(startNs);
            iterationNs = endNs - startNs;
        }
        return iterationNs;
    }

private:
    struct Waiting
    {
        std::int64_t readyNs;
        std::size_t layer;
        std::uint64_t bytes;
    };

    /// A thread or a link: one at a time.
    struct Server
    {
        std::vector<Waiting> queue;
        std::int64_t freeNs = 0;
    };

    std::int64_t runIteration(std::int64_t startNs)
    {
        const std::size_t layers = m_partitions.size();
        const std::int64_t launchedNs = startNs + m_job.launchNs;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            while (isUpdateNext(layer, launchedNs))
                update();
            m_modelNs = std::max(m_modelNs, launchedNs) + m_job.forwardNs;
        }
        const std::int64_t endNs = m_modelNs + static_cast<std::int64_t>(layers) * m_job.backwardNs;
        for (std::size_t layer = layers; layer-- > 0;) {
            m_modelNs += m_job.backwardNs;
            m_left[layer] = m_partitions[layer].size();
            for (const std::uint64_t bytes : m_partitions[layer])
                m_sender.queue.push_back({ m_isCompiled ? endNs : m_modelNs, layer, bytes });
        }
        return m_modelNs;
    }

    /// What is ready first is next on the model's stream: another update, or, when the layer's own
    /// is done, its kernel.
    bool isUpdateNext(std::size_t layer, std::int64_t launchedNs)
    {
        const std::int64_t nowNs = std::max(m_modelNs, launchedNs);
        while (nextNs() <= nowNs || (m_left[layer] > 0 && m_updates.empty()))
            serve();
        const bool isPending
            = std::any_of(m_updates.begin(), m_updates.end(),
                          [layer](const Waiting &update) { return update.layer == layer; });
        return m_left[layer] > 0 || isPending
            || (!m_updates.empty() && m_updates.front().readyNs <= nowNs);
    }

    /// The sender or the link begins with its next.
    void serve()
    {
        if (earliest(m_sender) <= earliest(m_link)) {
            const Waiting partition = take(m_sender, m_job.handOverNs);
            m_link.queue.push_back({ m_sender.freeNs, partition.layer, partition.bytes });
            return;
        }
        const Waiting partition = take(m_link, transferNs(m_link.queue[pick(m_link)].bytes));
        if (--m_left[partition.layer] == 0)
            m_updates.push_back(
                { m_link.freeNs, partition.layer, m_job.layerBytes[partition.layer] });
    }

    std::int64_t nextNs() const { return std::min(earliest(m_sender), earliest(m_link)); }

    static std::int64_t earliest(const Server &server)
    {
        std::int64_t ns = std::numeric_limits<std::int64_t>::max();
        for (const Waiting &waiting : server.queue)
            ns = std::min(ns, std::max(waiting.readyNs, server.freeNs));
        return ns;
    }

    /// Of those that are ready when it can begin.
    std::size_t pick(const Server &server) const
    {
        const std::int64_t nowNs = earliest(server);
        std::size_t best = server.queue.size();
        const auto order = [this](const Waiting &waiting) {
            return m_isByUrgency ? static_cast<std::int64_t>(waiting.layer) : waiting.readyNs;
        };
        for (std::size_t i = 0; i < server.queue.size(); ++i)
            if (server.queue[i].readyNs <= nowNs
                && (best == server.queue.size()
                    || order(server.queue[i]) < order(server.queue[best])))
                best = i;
        return best;
    }

    Waiting take(Server &server, std::int64_t ns)
    {
        const std::int64_t nowNs = earliest(server);
        const std::size_t next = pick(server);
        const Waiting taken = server.queue[next];
        server.queue.erase(server.queue.begin() + static_cast<std::ptrdiff_t>(next));
        server.freeNs = nowNs + ns;
        return taken;
    }

    std::int64_t transferNs(std::uint64_t bytes) const
    {
        const double n = m_job.ranks;
        return std::llround(2 * (n - 1) * static_cast<double>(m_job.stepNs)
                            + 2 * (n - 1) / n * static_cast<double>(bytes) / m_job.linkBytesPerNs);
    }

    void update()
    {
        const Waiting next = m_updates.front();
        m_updates.pop_front();
        m_modelNs = std::max(m_modelNs, next.readyNs)
            + static_cast<std::int64_t>(static_cast<double>(tests::optimizerNsOf(m_job))
                                        * static_cast<double>(next.bytes)
                                        / static_cast<double>(m_all));
    }

    const tests::GpuDdpJob &m_job;
    bool m_isByUrgency, m_isCompiled;
    std::uint64_t m_all = 0;
    std::vector<std::vector<std::uint64_t>> m_partitions; ///< by layer
    std::map<std::size_t, std::size_t> m_left; ///< partitions under way, by layer
    std::deque<Waiting> m_updates; ///< in the order of readiness
    Server m_sender, m_link;
    std::int64_t m_modelNs = 0;
};

} // namespace

/// DDP on GPUs, whole: files are written by a simulation of the job, imported, and what is
/// predicted with other settings is what the simulation takes with them.
class GpuDdpTest : public QObject
{
    Q_OBJECT

private slots:
    void otherBucketsAndLinksTakeWhatTheJobTakesWithThem_data();
    void otherBucketsAndLinksTakeWhatTheJobTakesWithThem();
    void whatACompilerJoinsIsReducedAtItsEnd_data();
    void whatACompilerJoinsIsReducedAtItsEnd();
    void gradientsThatAddUpAreReducedOnceInAPeriod();
    void moreRanksTakeWhatTheJobTakesWithThem();
    void aFasterHostTakesWhatTheJobTakesWithIt();
    void forwardKernelsAreFound();
    void partitionsTakeWhatTheJobTakesWithThem_data();
    void partitionsTakeWhatTheJobTakesWithThem();
    void fasterLinksAreNotSlowerAndExposeLess();
    void otherOverlapThanRecordedIsUnsure();
};

void GpuDdpTest::otherBucketsAndLinksTakeWhatTheJobTakesWithThem_data()
{
    QTest::addColumn<quint64>("fromMib");
    QTest::addColumn<double>("fromLink");
    QTest::addColumn<bool>("hasSyncEvents");
    for (const bool hasSyncEvents : { false, true })
        for (const quint64 mib : { 5, 25 })
            for (const double link : { SlowLink, FastLink })
                QTest::addRow("%d MiB, %g Gbit/s%s", static_cast<int>(mib), link * 8,
                              hasSyncEvents ? ", waits are recorded" : "")
                    << mib << link << hasSyncEvents;
}

void GpuDdpTest::otherBucketsAndLinksTakeWhatTheJobTakesWithThem()
{
    QFETCH(const quint64, fromMib);
    QFETCH(const double, fromLink);
    QFETCH(const bool, hasSyncEvents);
    tests::GpuDdpJob from = job();
    from.bucketBytes = fromMib * Mib;
    from.linkBytesPerNs = fromLink;
    from.hasSyncEvents = hasSyncEvents;
    const LoadedProject project = tests::recorded(from);
    compareTimes(predicted(project, {}), from, 0.002);
    for (const int mib : { 1, 5, 25, 100 })
        for (const double link : { SlowLink, FastLink, 4 * FastLink }) {
            tests::GpuDdpJob to = from;
            to.bucketBytes = static_cast<std::uint64_t>(mib) * Mib;
            to.linkBytesPerNs = link;
            compareTimes(predicted(project,
                                   { "bucket_cap_mb=" + std::to_string(mib),
                                     "bandwidth_scale=" + std::to_string(link / fromLink) }),
                         to, 0.03);
        }
}

/// Three of four iterations are micro-steps, which have no buckets: figures are means of four. Two
/// that reduce gradients never follow each other, so partitions that one leaves over are not known.
void GpuDdpTest::whatACompilerJoinsIsReducedAtItsEnd_data()
{
    QTest::addColumn<double>("link");
    QTest::newRow("slow") << SlowLink;
    QTest::newRow("fast") << FastLink;
}

/// As one bucket is that is full when the backward pass ends; more buckets take their latencies in
/// addition.
void GpuDdpTest::whatACompilerJoinsIsReducedAtItsEnd()
{
    QFETCH(const double, link);
    tests::GpuDdpJob from = job();
    from.linkBytesPerNs = link;
    const LoadedProject project = tests::recorded(from);
    tests::GpuDdpJob oneBucket = from;
    oneBucket.firstBucketBytes = oneBucket.bucketBytes = 1024 * Mib;
    compareTimes(predicted(project, { "gradients=16", "op_fusion=xla" }), oneBucket, 0.01);
    const auto buckets = static_cast<std::int64_t>(usualStep(*project.graph)->buckets.size());
    const std::int64_t expectedNs
        = iterationNsOf(oneBucket) + (buckets - 1) * 2 * (from.ranks - 1) * from.stepNs;
    const std::int64_t foundNs = predicted(project, { "op_fusion=xla" }).predictedNs;
    QVERIFY2(std::abs(foundNs - expectedNs) * 100 <= expectedNs,
             qPrintable(QStringLiteral("%1 ns instead of %2").arg(foundNs).arg(expectedNs)));
    // A part for each bucket delays none.
    compareTimes(predicted(project, { "op_fusion=auto" }), from, 0.005);
}

void GpuDdpTest::gradientsThatAddUpAreReducedOnceInAPeriod()
{
    tests::GpuDdpJob from = job();
    from.linkBytesPerNs = SlowLink;
    from.microSteps = 4;
    from.iterations = 12;
    const LoadedProject project = tests::recorded(from);
    QVERIFY(project.trace->compared.period != nullptr);
    compareTimes(predicted(project, {}), from, 0.002);
    for (const int mib : { 1, 25, 100 }) {
        tests::GpuDdpJob to = from;
        to.bucketBytes = static_cast<std::uint64_t>(mib) * Mib;
        to.linkBytesPerNs = FastLink;
        const Prediction result
            = predicted(project, { "bucket_cap_mb=" + std::to_string(mib), "bandwidth_scale=4" });
        compareTimes(result, to, 0.03);
        for (const ReplayedIterations &own : result.iterations)
            QVERIFY(own.kept.empty());
    }
    QVERIFY(tests::obstacle(*project.graph, "schedule", {}, *project.trace));
}

void GpuDdpTest::moreRanksTakeWhatTheJobTakesWithThem()
{
    tests::GpuDdpJob from = job();
    from.slowness.clear();
    from.linkBytesPerNs = SlowLink;
    const LoadedProject project = tests::recorded(from);
    for (const int ranks : { 2, 8 }) {
        tests::GpuDdpJob to = from;
        to.ranks = ranks;
        compareTimes(predicted(project, { "world_size=" + std::to_string(ranks) }), to, 0.03);
    }
}

/// The host is what such a job waits for.
void GpuDdpTest::aFasterHostTakesWhatTheJobTakesWithIt()
{
    tests::GpuDdpJob from = job();
    from.forwardNs = 20'000;
    from.backwardNs = 40'000;
    from.launchNs = 100'000;
    from.handOverNs = 200'000;
    from.linkBytesPerNs = 16 * FastLink;
    const LoadedProject project = tests::recorded(from);
    tests::GpuDdpJob to = from;
    to.launchNs /= 2;
    to.handOverNs /= 2;
    QVERIFY(iterationNsOf(to) < iterationNsOf(from) * 3 / 4);
    compareTimes(predicted(project, { "host_overhead_scale=0.5" }), to, 0.03);
}

void GpuDdpTest::forwardKernelsAreFound()
{
    const LoadedProject project = tests::recorded(job());
    const Graph &graph = *project.graph;
    QCOMPARE(graph.gradientSteps.size(), std::size_t { 4 * 5 });
    for (const GradientStep &step : graph.gradientSteps) {
        QCOMPARE(step.forwards.size(), job().layerBytes.size());
        // The gradient that is ready first is of the layer that is used last.
        std::int64_t beforeNs = graph.measuredStartNs[step.gradients.front().value];
        for (const OpId forward : step.forwards) {
            QVERIFY(forward != NoOp);
            QCOMPARE(graph.names[graph.name[forward.value].value], std::string("gemm_forward"));
            QVERIFY(graph.measuredStartNs[forward.value] < beforeNs
                    || forward == step.forwards.front());
            beforeNs = graph.measuredStartNs[forward.value];
        }
    }
}

void GpuDdpTest::partitionsTakeWhatTheJobTakesWithThem_data()
{
    QTest::addColumn<bool>("isByUrgency");
    QTest::addColumn<double>("link");
    QTest::addColumn<quint64>("partitionMib");
    QTest::addColumn<QByteArray>("fusion");
    for (const bool isByUrgency : { false, true })
        for (const double link : { SlowLink, FastLink })
            for (const quint64 mib : { 1, 4 })
                for (const char *fusion : { "off", "auto", "xla" })
                    QTest::addRow("%s, %g Gbit/s, %d MiB, op_fusion=%s",
                                  isByUrgency ? "p3" : "fifo", link * 8, static_cast<int>(mib),
                                  fusion)
                        << isByUrgency << link << mib << QByteArray(fusion);
}

void GpuDdpTest::partitionsTakeWhatTheJobTakesWithThem()
{
    QFETCH(const bool, isByUrgency);
    QFETCH(const double, link);
    QFETCH(const quint64, partitionMib);
    QFETCH(const QByteArray, fusion);
    tests::GpuDdpJob ofJob = job();
    ofJob.slowness.clear();
    ofJob.linkBytesPerNs = link;
    const Prediction result = predicted(tests::recorded(ofJob),
                                        { std::string("schedule=") + (isByUrgency ? "p3" : "fifo"),
                                          "partition_bytes=" + std::to_string(partitionMib * Mib),
                                          "op_fusion=" + fusion.toStdString() });
    PartitionedJob truth(ofJob, partitionMib * Mib, isByUrgency, fusion == "xla");
    const auto truthNs = static_cast<double>(truth.iterationNs());
    const double error = static_cast<double>(result.predictedNs) / truthNs - 1;
    QVERIFY2(std::abs(error) <= 0.03,
             qPrintable(QStringLiteral("%1 ns instead of %2: %3 %")
                            .arg(result.predictedNs)
                            .arg(truthNs)
                            .arg(100 * error)));
    QVERIFY(result.trust != TrustLevel::Good);
}

void GpuDdpTest::fasterLinksAreNotSlowerAndExposeLess()
{
    tests::GpuDdpJob from = job();
    from.linkBytesPerNs = SlowLink;
    const LoadedProject project = tests::recorded(from);
    std::int64_t beforeNs = std::numeric_limits<std::int64_t>::max(), exposedNs = beforeNs;
    for (const char *scale : { "0.25", "0.5", "1", "2", "4", "8", "64" }) {
        const Prediction result
            = predicted(project, { "bucket_cap_mb=8", std::string("bandwidth_scale=") + scale });
        QVERIFY(result.predictedNs <= beforeNs);
        QVERIFY(result.predictedParts.exposedCommNs <= exposedNs);
        beforeNs = result.predictedNs;
        exposedNs = result.predictedParts.exposedCommNs;
    }
    // Kernels alone: a fraction of a bucket is left to wait for.
    QVERIFY(exposedNs < beforeNs / 20);
}

/// How much kernels slow down beside transfers is not estimated on accelerators.
void GpuDdpTest::otherOverlapThanRecordedIsUnsure()
{
    tests::GpuDdpJob from = job();
    from.bucketBytes = 100 * Mib; // one bucket: nothing overlaps
    from.linkBytesPerNs = SlowLink;
    const LoadedProject project = tests::recorded(from);
    const auto isUnsure = [&](const std::vector<std::string> &settings) {
        const Prediction result = predicted(project, settings);
        return std::any_of(result.trustReasons.begin(), result.trustReasons.end(),
                           [](const std::string &reason) {
                               return reason.starts_with("Transfers run beside ")
                                   && reason.find(" more of an iteration's kernels than recorded")
                                   != std::string::npos;
                           });
    };
    QVERIFY(isUnsure({ "bucket_cap_mb=1" }));
    QVERIFY(!isUnsure({}));
    QVERIFY(!isUnsure({ "bandwidth_scale=1.01" }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(GpuDdpTest)
#include "tst_gpu_ddp.moc"
