#include "core/change/change_text.h"
#include "core/fit/contention/core_sharing.h"
#include "core/fit/contention/interference.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/measured_graph.h"
#include "core/predict/overlap_readings.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace core;

namespace {

constexpr int Iterations = 8, PeriodUs = 100'000;

/// When and for how long a rank's op of an iteration runs, us.
struct OwnOp
{
    int startUs, durationUs;
};

/// Iterations of a backward op and an all-reduce after it. Every other iteration `shared`, else
/// `alone`.
std::string rankText(int rank, OwnOp shared, OwnOp alone)
{
    std::string main = "thread main\n", comm = "comm gloo\n", iterations;
    for (int i = 0; i < Iterations; ++i) {
        const int atUs = i * PeriodUs;
        const OwnOp op = i % 2 == 0 ? shared : alone;
        iterations += "iteration " + std::to_string(i) + " " + std::to_string(atUs) + " "
            + std::to_string(PeriodUs) + "\n";
        main += "aten::mul " + std::to_string(atUs + op.startUs) + " "
            + std::to_string(op.durationUs) + " phase=backward bytes=4096\n";
        comm += "gloo:all_reduce " + std::to_string(atUs + 70'000)
            + " 20000 kind=all_reduce bytes=1000000\n";
    }
    return "rank " + std::to_string(rank) + "\n" + iterations + main + comm;
}

constexpr OwnOp Together { 1'000, 20'000 };

/// Two ranks of which each takes 10 ms alone, and 20 ms while the other runs: they share a core.
Trace sharedCore()
{
    return tests::traceFromText(rankText(0, Together, { 1'000, 10'000 })
                                + rankText(1, Together, { 40'000, 10'000 }));
}

/// As long together as alone: each has a core.
Trace ownCores()
{
    return tests::traceFromText(rankText(0, { 1'000, 10'000 }, { 1'000, 10'010 })
                                + rankText(1, { 1'000, 10'000 }, { 40'000, 10'010 }));
}

struct Job
{
    explicit Job(Trace recorded)
        : trace(std::move(recorded))
        , measured(std::make_shared<const Graph>(measuredGraph(trace, {})))
        , graph(OverlapStretch(*measured, trace, fitLinks(*measured, trace)).takenFrom(*measured))
    {
    }

    Prediction predict(const std::string &setting) const
    {
        return tests::predict(trace, measured, parseStrategy({ setting }), {});
    }

    Trace trace;
    std::shared_ptr<const Graph> measured;
    Graph graph;
};

/// Of framework ops, ms.
double longestMs(const Graph &graph)
{
    double ms = 0;
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.stretchShare[op] > 0)
            ms = std::max(ms, static_cast<double>(graph.durationNs[op]) / 1e6);
    return ms;
}

bool hasNote(const Prediction &result, const std::string &part)
{
    return std::any_of(
        result.trustReasons.begin(), result.trustReasons.end(),
        [&part](const std::string &reason) { return reason.find(part) != std::string::npos; });
}

} // namespace

class TestCoreSharing : public QObject
{
    Q_OBJECT

private slots:
    void ranksThatTakeTurnsAreFound()
    {
        const Job job(sharedCore());
        const CoreContention found
            = fitCoreContention(job.graph, job.trace, FrameworkTimes(job.trace, {}), {});
        QCOMPARE(found.ranks, std::size_t { 2 });
        QCOMPARE(found.of(0, 1), found.of(1, 0));
        QCOMPARE(found.of(0, 0), 0.0);
        QVERIFY2(found.of(0, 1) > 0.8 * std::numbers::ln2 && found.of(0, 1) < std::numbers::ln2,
                 std::to_string(found.of(0, 1)).c_str()); // the prior is around 0
    }

    void ranksWithCoresOfTheirOwnAreNot()
    {
        const Job job(ownCores());
        const CoreContention found
            = fitCoreContention(job.graph, job.trace, FrameworkTimes(job.trace, {}), {});
        QVERIFY2(found.of(0, 1) < 0.01, std::to_string(found.of(0, 1)).c_str());
    }

    void ranksOfDifferentHostsShareNothing()
    {
        Trace trace = sharedCore();
        trace.workers[0].host = "a";
        trace.workers[1].host = "b";
        const Job job(std::move(trace));
        QCOMPARE(
            fitCoreContention(job.graph, job.trace, FrameworkTimes(job.trace, {}), {}).of(0, 1),
            0.0);
        QVERIFY(!CoreSharing(job.graph, job.trace, {}).mayShare());
        QVERIFY(!hasNote(job.predict("world_size=4"), "cores"));
    }

    void manyRanksAreNotToldApart()
    {
        const Job job(sharedCore());
        Trace many = job.trace;
        many.workers.resize(MostContendingRanks + 1, many.workers.front());
        const CoreSharing cores(job.graph, many, {});
        const Graph fewer = cores.forRanks(job.graph, 1);
        QCOMPARE(longestMs(fewer), 20.0);
        QCOMPARE(fewer.notes.size(), job.graph.notes.size() + 1);
        QVERIFY(fewer.notes.back().ends_with("taken to be as slow."));
        QVERIFY(longestMs(cores.withCrowdedCores(job.graph, 4)) > 39.9);
    }

    /// Its host says nothing of whether others are on it, too.
    void oneRecordedRankMayShareItsHost()
    {
        const Job job(sharedCore());
        Trace one = job.trace;
        one.workers.resize(1);
        one.workers[0].host = "a";
        QVERIFY(CoreSharing(job.graph, one, {}).mayShare());
    }

    void fewerRanksHaveFewerSharers()
    {
        const Job job(sharedCore());
        const CoreSharing cores(job.graph, job.trace, {});
        QCOMPARE(cores.recordedRanks(), 2.0);
        QCOMPARE(cores.sharersLeft(1), 0.0);
        QCOMPARE(cores.sharersLeft(2), 1.0);
        QCOMPARE(cores.sharersLeft(8), 1.0);
        QCOMPARE(longestMs(job.graph), 20.0);
        QCOMPARE(longestMs(cores.forRanks(job.graph, 2)), 20.0);
        const double aloneMs = longestMs(cores.forRanks(job.graph, 1));
        QVERIFY2(aloneMs > 9.9 && aloneMs < 12, std::to_string(aloneMs).c_str());
        const double backMs = longestMs(cores.withSharersLeft(cores.forRanks(job.graph, 1), 0, 1));
        QVERIFY(std::abs(backMs - 20) < 0.001);
    }

    void crowdedCoresHaveWholeRanks()
    {
        const Job job(ownCores());
        const CoreSharing cores(job.graph, job.trace, {});
        const double ms = longestMs(job.graph);
        QVERIFY(std::abs(longestMs(cores.withCrowdedCores(job.graph, 3)) - 2 * ms) < 0.2);
        QVERIFY(std::abs(longestMs(cores.withCrowdedCores(job.graph, 4)) - 2 * ms) < 0.2);
        QVERIFY(std::abs(longestMs(cores.withCrowdedCores(job.graph, 5)) - 3 * ms) < 0.3);
        QVERIFY(cores.withCrowdedCores(job.graph, 4).slowdown > job.graph.slowdown);
        // Two are on the core already: two more are twice as many.
        const Job shared(sharedCore());
        const CoreSharing sharing(shared.graph, shared.trace, {});
        const double crowdedMs = longestMs(sharing.withCrowdedCores(shared.graph, 4));
        QVERIFY2(crowdedMs > 29.5 && crowdedMs < 32, std::to_string(crowdedMs).c_str());
    }

    /// A job of two ranks, each on a core, was predicted for four of them as if there were four
    /// cores, and its interval knew of no others: measured on two cores, the truth was beyond it.
    void theIntervalHoldsThatAddedRanksShareCores()
    {
        const Job job(ownCores());
        const Prediction result = job.predict("world_size=4");
        QVERIFY(hasNote(result, "taken to have cores of their own"));
        QVERIFY(result.ciHighNs - result.predictedNs >= 10'000'000); // an op twice as long
        QVERIFY(result.predictedNs - result.ciLowNs < 10'000'000);
        // Not two hundred on each core, though, where an op would take two seconds.
        const Prediction many = job.predict("world_size=400");
        QVERIFY(many.ciHighNs - many.predictedNs < 200'000'000);
    }

    /// Ranks that shared cores kept their slow computation however few of them were left.
    void fewerRanksComputeFaster()
    {
        const Job job(sharedCore());
        const Prediction result = job.predict("world_size=1");
        QVERIFY(hasNote(result, "share cores"));
        QVERIFY(result.predictedParts.computeNs
                < job.predict("comm_scale=1").predictedParts.computeNs);
        const double movedMs = longestMs(job.graph) - longestMs(*result.graph);
        QVERIFY2(movedMs > 8, std::to_string(movedMs).c_str());
        QVERIFY(result.ciHighNs > result.predictedNs);
        QVERIFY(!hasNote(Job(ownCores()).predict("world_size=1"), "share cores"));
    }

    /// Ranks that share a core were predicted with a sure division of the iteration, of which
    /// measured ones were off by a tenth: a slow rank goes on alone when its sharer is done.
    void otherSharesOfTheWorkAreUnsure()
    {
        const char *note = "With other shares of the work";
        const Job job(sharedCore());
        QVERIFY(hasNote(job.predict("compute_scale:1=1.5"), note));
        QVERIFY(!hasNote(job.predict("compute_scale=1.5"), note)); // the shares stay
        QVERIFY(!hasNote(Job(ownCores()).predict("compute_scale:1=1.5"), note));
        const Job unequal(tests::traceFromText(rankText(0, Together, { 1'000, 10'000 })
                                               + rankText(1, Together, { 40'000, 20'000 })));
        QVERIFY(hasNote(unequal.predict("ideal_peers=1"), note));
    }

    /// Every step of the ranks' slider fitted anew who shares cores.
    void whatIsSetIsNotFoundAnew()
    {
        const Job job(sharedCore());
        const Strategy fewer = parseStrategy({ "world_size=1" });
        Predictor predictor(job.trace, job.measured, JobControl {});
        predictor.iterationNs({}, {});
        QVERIFY(predictor.models().cores == nullptr);
        const Prediction found = tests::predict(predictor, fewer);
        const auto cores = predictor.models().cores;
        QVERIFY(cores != nullptr);
        QCOMPARE(predictor.models().overlap->size(), NoCost + 1);
        const Prediction kept = tests::predict(predictor, fewer);
        QCOMPARE(predictor.models().cores, cores);
        QVERIFY(hasNote(kept, "share cores"));
        QCOMPARE(kept.predictedNs, found.predictedNs);
        QCOMPARE(kept.ciLowNs, found.ciLowNs);
        QCOMPARE(kept.ciHighNs, found.ciHighNs);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCoreSharing)
#include "tst_core_sharing.moc"
