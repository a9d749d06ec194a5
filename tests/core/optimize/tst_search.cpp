#include "core/base/error.h"
#include "core/optimize/pass_list.h"
#include "core/optimize/search.h"
#include "core/optimize/strategy_file.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>

using namespace core;

class SearchTest : public QObject
{
    Q_OBJECT

private slots:
    void itAdvisesBucketsOfTheSample();
    void theStrategyIsPredictedAsFound();
    void cutsAreAtLeastAsGoodAsOneSize();
    void oneSeedGivesTheSameBytes();
    void reducedNumericsAreTriedOnlyWhereAllowed();
    void anotherSystemIsTriedOnlyWhereNamed();
    void whatIsNotWorthHavingIsNotAdvised();
    void stoppedItKeepsTheBestSoFar();
    void changesTakeThePlaceOfWhatTheyContradict();
    void whatIsGivenStays();
    void stoppedAtTheIntervalsItHasNone();
    void anImpossibleEnvironmentIsRefused();

private:
    SearchResult run(SearchRequest request = {}) const
    {
        return Search(m_sample.predictor(), std::move(request), {}, {}).run();
    }

    tests::SampleProject m_sample;
};

/// Two buckets of 4 and 20 MiB, the second of which is ready last: smaller ones overlap.
void SearchTest::itAdvisesBucketsOfTheSample()
{
    const SearchResult result = run();
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
    const SearchResult result = run();
    Predictor predictor = m_sample.predictor();
    for (const Candidate &candidate : result.candidates)
        QCOMPARE(predictor.predict(candidate.strategy, {}).predictedNs, candidate.predictedNs);
}

void SearchTest::cutsAreAtLeastAsGoodAsOneSize()
{
    const SearchResult result = run();
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
    const SearchResult without = run();
    QVERIFY(without.obstacles.contains("compression"));
    SearchRequest request;
    request.allowsReducedNumerics = true;
    const SearchResult with = run(request);
    QVERIFY(!with.obstacles.contains("compression"));
    QCOMPARE(with.advised()->pass, std::string("compression"));
    QVERIFY(with.advised()->numerics == Numerics::Reduced);
    QVERIFY(with.advised()->strategy.has("bucket_cap_mb")); // on top of the best buckets
}

void SearchTest::anotherSystemIsTriedOnlyWhereNamed()
{
    QVERIFY(run().obstacles.contains("horovod_fusion"));
    SearchRequest request;
    request.passes = { "horovod_fusion" };
    const SearchResult result = run(request);
    QVERIFY(!result.steps.empty());
    QVERIFY(std::all_of(result.steps.begin(), result.steps.end(),
                        [](const SearchStep &step) { return step.pass == "horovod_fusion"; }));
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

LONGPOLE_TEST(SearchTest)
#include "tst_search.moc"
