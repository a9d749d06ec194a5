#include "core/base/error.h"
#include "core/optimize/pass_list.h"
#include "core/optimize/search.h"
#include "core/optimize/search_json.h"
#include "core/optimize/search_words.h"
#include "core/optimize/strategy_file.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using namespace core;

class SearchTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { m_result = run(); }
    void itAdvisesBucketsOfTheSample();
    void theStrategyIsPredictedAsFound();
    void cutsAreAtLeastAsGoodAsOneSize();
    void oneSeedGivesTheSameBytes();
    void reducedNumericsAreTriedOnlyWhereAllowed();
    void eachPartOfAStrategyIsLeftOutInTurn();
    void guessesAreNearWholeReplays();
    void anotherSystemIsTriedOnlyWhereNamed();
    void togetherPassesAreNoSlowerThanOneOrABaseline();
    void itGoesOnFromAGivenStrategy();
    void whatIsNotWorthHavingIsNotAdvised();
    void stoppedItKeepsTheBestSoFar();
    void changesTakeThePlaceOfWhatTheyContradict();
    void whatIsGivenStays();
    void stoppedAtTheIntervalsItHasNone();
    void anImpossibleEnvironmentIsRefused();
    void whatIsNotAdvisedIsTheFastestOfItsPass();
    void whatNeedsTooMuchMemoryIsDropped();
    void unknownMemoryIsToldOnce();
    void baselinesAreWhatTheirSettingsPredict();
    void baselinesThatChangeWhatIsGivenAreNotKnown();
    void theHelpPageNamesAllKeysOfTheJson();

private:
    SearchResult run(SearchRequest request = {}) const
    {
        return Search(m_sample.predictor(), std::move(request), {}, {}).run();
    }

    tests::SampleProject m_sample;
    SearchResult m_result; ///< of the request as it is by default
};

/// Two buckets of 4 and 20 MiB, the second of which is ready last: smaller ones overlap.
void SearchTest::itAdvisesBucketsOfTheSample()
{
    const SearchResult &result = m_result;
    QVERIFY(result.advised() != nullptr);
    const Candidate &advised = *result.advised();
    QCOMPARE(advised.pass, std::string("bucket_cap"));
    QVERIFY(advised.strategy.number("bucket_cap_mb").value_or(25) < 25);
    QVERIFY(advised.gainNs > result.baselineNs / 10);
    QVERIFY(advised.unknownInterval.empty());
    QVERIFY(advised.gainLowNs > 0 && advised.gainLowNs < advised.gainNs);
    QVERIFY(advised.gainHighNs > advised.gainNs);
    QCOMPARE(result.steps[advised.step].predictedNs, std::optional(advised.predictedNs));
}

void SearchTest::theStrategyIsPredictedAsFound()
{
    const SearchResult &result = m_result;
    Predictor predictor = m_sample.predictor();
    for (const Candidate &candidate : result.candidates)
        QCOMPARE(predictor.predict(candidate.strategy, {}).predictedNs, candidate.predictedNs);
}

void SearchTest::cutsAreAtLeastAsGoodAsOneSize()
{
    const SearchResult &result = m_result;
    std::int64_t leastCap = result.baselineNs, leastCuts = result.baselineNs;
    for (const SearchStep &step : result.steps)
        if (step.predictedNs) {
            std::int64_t &least = step.pass == "bucket_cap" ? leastCap : leastCuts;
            least = std::min(least, *step.predictedNs);
        }
    QVERIFY(leastCuts <= leastCap);
}

void SearchTest::oneSeedGivesTheSameBytes()
{
    SearchRequest request;
    request.seed = 7;
    const Predictor predictor = m_sample.predictor();
    const auto text = [&] {
        const SearchResult result = run(request);
        return strategyText(result, result.advised(), predictor.job(), { "optimize", 7 });
    };
    const std::string first = text();
    QCOMPARE(text(), first);
}

void SearchTest::reducedNumericsAreTriedOnlyWhereAllowed()
{
    const SearchResult &without = m_result;
    QVERIFY(without.obstacles.contains("compression"));
    SearchRequest request;
    request.allowsReducedNumerics = true;
    const SearchResult with = run(request);
    QVERIFY(!with.obstacles.contains("compression"));
    QCOMPARE(with.advised()->pass, std::string("compression"));
    QVERIFY(with.advised()->numerics == Numerics::Reduced);
    QVERIFY(with.advised()->strategy.has("bucket_cap_mb")); // on top of the best buckets
}

void SearchTest::eachPartOfAStrategyIsLeftOutInTurn()
{
    Predictor predictor = m_sample.predictor();
    const Strategy environment { { "bandwidth_mbit", 400.0 } };
    Strategy strategy = environment;
    strategy.set({ "bucket_cap_mb", 4.0 });
    strategy.set({ "first_bucket_mb", 1.0 });
    strategy.set({ "compression", 2.0 });
    const std::vector<StrategyPart> parts = ablation(predictor, environment, strategy, 1000, {});
    QCOMPARE(parts.size(), std::size_t { 2 });
    QCOMPARE(parts[0].names, std::string("bucket_cap_mb and first_bucket_mb"));
    QCOMPARE(parts[1].names, std::string("compression"));
    Strategy compressed = environment, buckets = strategy;
    compressed.set({ "compression", 2.0 });
    buckets.remove("compression");
    QVERIFY(parts[0].withoutNs == predictor.iterationNs(compressed, {}));
    QVERIFY(parts[1].withoutNs == predictor.iterationNs(buckets, {}));
    const auto alone = ablation(predictor, environment, compressed, 1000, {});
    QCOMPARE(alone.size(), std::size_t { 1 });
    QVERIFY(alone[0].withoutNs == predictor.iterationNs(environment, {}));
    QVERIFY(ablationText(alone).empty());
}

/// Of all that the search may propose: what the skeleton does not answer is replayed wholly.
void SearchTest::guessesAreNearWholeReplays()
{
    Search search(m_sample.predictor(), {}, {}, {});
    const std::vector<Strategy> strategies {
        { { "bucket_cap_mb", 5.0 } },
        { { "bandwidth_mbit", 1000.0 }, { "bucket_cap_mb", 1.0 } },
        { { "compression", 2.0 } },
        { { "schedule", std::string("p3") } },
    };
    const auto guessed = search.guess(strategies);
    Predictor predictor = m_sample.predictor();
    for (std::size_t i = 0; i < strategies.size(); ++i) {
        const auto wholeNs = static_cast<double>(*predictor.iterationNs(strategies[i], {}));
        QVERIFY(guessed[i].has_value());
        QVERIFY(std::abs(static_cast<double>(*guessed[i]) - wholeNs) <= 0.005 * wholeNs);
    }
    QVERIFY(search.guess(strategies) == guessed);
}

void SearchTest::anotherSystemIsTriedOnlyWhereNamed()
{
    QVERIFY(m_result.obstacles.contains("horovod_fusion"));
    SearchRequest request;
    request.passes = { "horovod_fusion" };
    const SearchResult result = run(request);
    QVERIFY(!result.steps.empty());
    QVERIFY(std::all_of(result.steps.begin(), result.steps.end(), [](const SearchStep &step) {
        return step.pass == "horovod_fusion" || step.pass == BaselineSteps;
    }));
}

void SearchTest::togetherPassesAreNoSlowerThanOneOrABaseline()
{
    SearchRequest all;
    all.wantsBaselines = true;
    std::int64_t aloneNs = m_result.baselineNs;
    for (const auto &pass : passes()) {
        SearchRequest one;
        one.passes = { std::string(pass->info().name) };
        if (pass->info().numerics == Numerics::Reduced)
            continue;
        const SearchResult result = run(one);
        aloneNs = std::min(aloneNs, bestSoFarNs(result.baselineNs, result.steps));
        all.passes.push_back(one.passes.front());
    }
    const SearchResult result = run(all);
    const std::int64_t bestNs = bestSoFarNs(result.baselineNs, result.steps);
    const std::int64_t leastNs = result.baselineNs / 1000; // that makes a step
    QVERIFY(bestNs <= aloneNs + leastNs);
    for (const Baseline &baseline : result.baselines)
        if (baseline.predictedNs && baseline.name != "daydream")
            QVERIFY(bestNs <= *baseline.predictedNs + leastNs);
}

/// Of an earlier search: the result is no slower than that.
void SearchTest::itGoesOnFromAGivenStrategy()
{
    const Candidate *const before = m_result.advised();
    QVERIFY(before != nullptr);
    SearchRequest request;
    request.passes = { "bucket_cuts" };
    request.seed = 7;
    request.start = before->strategy;
    const SearchResult result = run(request);
    QCOMPARE(result.steps.front().pass, std::string(StartStep));
    QVERIFY(result.steps.front().predictedNs == before->predictedNs);
    QVERIFY(bestSoFarNs(result.baselineNs, result.steps) <= before->predictedNs);
    QCOMPARE(result.baselineNs, m_result.baselineNs);
    request.passes = { "horovod_fusion" };
    request.environment = { { "bucket_cap_mb", 5.0 } }; // that the start changes
    QVERIFY(isNothingTried(run(request)));
}

/// Without time on the link no buckets help.
void SearchTest::whatIsNotWorthHavingIsNotAdvised()
{
    SearchRequest request;
    request.environment = { { "comm_scale", 0.0 } };
    const SearchResult result = run(request);
    QVERIFY(result.advised() == nullptr);
    QVERIFY(!result.steps.empty());
}

void SearchTest::stoppedItKeepsTheBestSoFar()
{
    int steps = 0;
    const JobControl control([&steps] { return steps >= 5; }, {});
    Search search(m_sample.predictor(), {}, control, [&steps](const SearchStep &) { ++steps; });
    const SearchResult result = search.run();
    QVERIFY(result.isStopped);
    QCOMPARE(result.steps.size(), std::size_t { 5 });
    for (const Candidate &candidate : result.candidates)
        QVERIFY(!candidate.unknownInterval.empty());
}

void SearchTest::changesTakeThePlaceOfWhatTheyContradict()
{
    const Strategy costly { { "compression", 2.0 }, { "compression_ns_per_byte", 1.0 } };
    QVERIFY(Search::with(costly, { { "bucket_cap_mb", 7.0 } }).has("compression_ns_per_byte"));
    const Strategy start { { "bucket_cap_mb", 5.0 }, { "bandwidth_mbit", 100.0 } };
    const Strategy expected { { "gradients", std::string("4,14") }, { "bandwidth_mbit", 100.0 } };
    QVERIFY(Search::with(start, { { "gradients", std::string("4,14") } }) == expected);
    QVERIFY(Search::with(start, { { "bucket_cap_mb", 7.0 } }).number("bucket_cap_mb") == 7.0);
}

void SearchTest::whatIsGivenStays()
{
    SearchRequest request;
    request.environment = { { "bucket_cap_mb", 5.0 } };
    const SearchResult result = run(request);
    QVERIFY(result.steps.empty());
    QVERIFY(result.obstacles.contains("bucket_cap"));
}

void SearchTest::stoppedAtTheIntervalsItHasNone()
{
    bool isCancelled = false;
    const JobControl control([&isCancelled] { return isCancelled; }, {});
    SearchRequest request;
    request.passes = { "bucket_cap" };
    std::size_t steps = 0;
    const std::size_t all = run(request).steps.size();
    Search search(m_sample.predictor(), request, control, [&](const SearchStep &) {
        isCancelled = ++steps == all; // behind the last one
    });
    const SearchResult result = search.run();
    QVERIFY(result.isStopped);
    QVERIFY(!result.candidates.empty());
    for (const Candidate &candidate : result.candidates)
        QVERIFY(!candidate.unknownInterval.empty());
}

void SearchTest::anImpossibleEnvironmentIsRefused()
{
    SearchRequest request;
    request.environment = { { "ideal_pipeline", 1.0 } };
    QVERIFY_THROWS_EXCEPTION(Error, run(request));
}

void SearchTest::whatIsNotAdvisedIsTheFastestOfItsPass()
{
    const SearchResult &result = m_result;
    QVERIFY(result.candidates.size() > 1);
    for (std::size_t i = 1; i < result.candidates.size(); ++i)
        for (const SearchStep &step : result.steps)
            QVERIFY(step.pass != result.candidates[i].pass || !step.predictedNs
                    || *step.predictedNs >= result.candidates[i].predictedNs);
}

namespace {

constexpr std::uint64_t Gib = 1U << 30U;

/// One GiB is allocated before everything and never released.
std::vector<MemoryEvent> oneGib(const Trace &trace, WorkerId worker)
{
    const auto own = std::find_if(trace.iterations.begin(), trace.iterations.end(),
                                  [worker](const Iteration &one) { return one.worker == worker; });
    MemoryEvent event;
    event.timeNs = own->range.startNs + 1;
    event.address = 1;
    event.deltaBytes = static_cast<std::int64_t>(Gib);
    event.allocatedBytes = Gib;
    return { event };
}

} // namespace

void SearchTest::whatNeedsTooMuchMemoryIsDropped()
{
    for (const std::uint64_t limit : { Gib / 2, 2 * Gib }) {
        Predictor predictor = m_sample.predictor();
        const Trace &trace = predictor.job().trace;
        predictor.setSources({ {}, [&trace](WorkerId worker) { return oneGib(trace, worker); } });
        SearchRequest request;
        request.memoryLimitBytes = limit;
        const SearchResult result = Search(std::move(predictor), request, {}, {}).run();
        QVERIFY(result.memoryUnknown.empty());
        QCOMPARE(result.candidates.empty(), limit < Gib);
        const auto dropped = std::find_if(result.steps.begin(), result.steps.end(),
                                          [](const SearchStep &step) { return step.isTooLarge; });
        QCOMPARE(dropped != result.steps.end(), limit < Gib);
        if (limit < Gib)
            QVERIFY(dropped->reason.find("1 GiB") != std::string::npos);
    }
}

/// The sample has no allocations.
void SearchTest::unknownMemoryIsToldOnce()
{
    SearchRequest request;
    request.memoryLimitBytes = 1;
    const SearchResult result = run(request);
    QVERIFY(!result.memoryUnknown.empty());
    QVERIFY(result.advised() != nullptr);
}

void SearchTest::baselinesAreWhatTheirSettingsPredict()
{
    SearchRequest request;
    request.wantsBaselines = true;
    QCOMPARE(m_result.baselines.size(), std::size_t { 6 }); // of one replay each
    const SearchResult result = run(request);
    const auto predicted
        = [&](const Strategy &strategy) { return m_sample.predictor().iterationNs(strategy, {}); };
    std::map<std::string_view, std::optional<std::int64_t>> found;
    for (const Baseline &baseline : result.baselines)
        found[baseline.name] = baseline.predictedNs;
    QCOMPARE(found.size(), std::size_t { 8 });
    QCOMPARE(found["ddp_default"],
             predicted({ { "bucket_cap_mb", 25.0 }, { "first_bucket_mb", 1.0 } }));
    QCOMPARE(found["horovod_default"],
             predicted({ { "fusion_threshold_bytes", 134217728.0 }, { "cycle_time_ms", 1.0 } }));
    QCOMPARE(found["horovod_dpro"],
             predicted({ { "fusion_threshold_bytes", 64e6 }, { "cycle_time_ms", 5.0 } }));
    QCOMPARE(found["byteps_default"],
             predicted({ { "schedule", std::string("fifo") }, { "partition_bytes", 4096000.0 } }));
    QCOMPARE(found["xla_fuse_all"], predicted({ { "op_fusion", std::string("xla") } }));
    QVERIFY(found["daydream"].has_value());
    // Among the first that it looks at.
    QVERIFY(found["horovod_autotune"].has_value());
    QVERIFY(*found["horovod_autotune"]
            <= *predicted({ { "fusion_threshold_bytes", 32e6 }, { "cycle_time_ms", 50.0 } }));
    QVERIFY(found["random_order"].has_value());
}

void SearchTest::baselinesThatChangeWhatIsGivenAreNotKnown()
{
    SearchRequest request;
    request.environment = { { "bucket_cap_mb", 5.0 } };
    for (const Baseline &baseline : run(request).baselines)
        if (baseline.name == "xla_fuse_all") {
            QVERIFY(baseline.predictedNs.has_value()); // in those buckets
        } else if (baseline.name != "daydream") {
            QVERIFY(!baseline.predictedNs);
            QVERIFY(baseline.unknown.find("bucket_cap_mb") != std::string::npos);
        }
}

void SearchTest::theHelpPageNamesAllKeysOfTheJson()
{
    QFile page(QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/help/strategies.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    QByteArray table = page.readAll();
    table = table.mid(table.indexOf("\n## JSON\n"));
    table.truncate(table.indexOf("\n## Targets\n"));
    SearchResult result = m_result;
    result.memoryUnknown = "as allocations are not recorded.";
    QSet<QByteArray> keys, named;
    const Predictor predictor = m_sample.predictor();
    const auto json = toJson(result, predictor.job(), { "optimize", 0 });
    for (const auto &entry : json.items())
        keys.insert(QByteArray::fromStdString(entry.key()));
    keys.insert("export_targets"); // that the command adds
    const QRegularExpression word(QStringLiteral("`([a-z_0-9]+)`"));
    for (const QByteArray &line : table.split('\n'))
        if (line.startsWith("| `"))
            for (auto found = word.globalMatch(QString::fromUtf8(line.left(line.indexOf('|', 1))));
                 found.hasNext();)
                named.insert(found.next().captured(1).toUtf8());
    QCOMPARE(named, keys);
    for (const Baseline &baseline : result.baselines)
        QVERIFY(table.contains("`" + QByteArray::fromStdString(std::string(baseline.name)) + "`"));
}

LONGPOLE_TEST(SearchTest)
#include "tst_search.moc"
