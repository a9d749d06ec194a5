#include "core/optimize/baselines.h"
#include "core/optimize/pass_list.h"
#include "core/optimize/search.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <set>

using namespace core;

class SchedulePassesTest : public QObject
{
    Q_OBJECT

private slots:
    void theyAreOtherSystemsWithAPaper_data() { addPasses(); }
    void theyAreOtherSystemsWithAPaper();
    void theFastestOfWhatIsTriedIsFound_data() { addPasses(); }
    void theFastestOfWhatIsTriedIsFound();
    void theDefaultsAreTriedFirst_data() { addPasses(); }
    void theDefaultsAreTriedFirst();
    void sizesOfAnotherScheduleAreNotTakenOver();
    void stepsAroundTheGridFindNoWorse();
    void aSummaryIsMeanAndNearestRank();
    void ordersByChanceAreABaseline();
    void ordersByChanceEndWithTheTime();

private:
    static void addPasses()
    {
        QTest::addColumn<QString>("pass");
        for (const char *name : { "p3", "bytescheduler", "tictac", "usbyte", "dear" })
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    SearchResult run(std::vector<std::string> passes) const
    {
        SearchRequest request;
        request.passes = std::move(passes);
        request.seconds = 1000; // whatever the machine
        return Search(m_sample.predictor(), std::move(request), {}, {}).run();
    }

    tests::SampleProject m_sample;
};

void SchedulePassesTest::theyAreOtherSystemsWithAPaper()
{
    QFETCH(const QString, pass);
    const auto found = std::find_if(passes().begin(), passes().end(), [&pass](const auto &one) {
        return one->info().name == pass.toStdString();
    });
    QVERIFY(found != passes().end());
    QVERIFY((*found)->info().isAnotherSystem);
    QVERIFY((*found)->info().source.find("et al.") != std::string_view::npos);
}

void SchedulePassesTest::theFastestOfWhatIsTriedIsFound()
{
    QFETCH(const QString, pass);
    const SearchResult result = run({ pass.toStdString() });
    QVERIFY(result.advised() != nullptr);
    std::set<std::int64_t> times;
    for (const SearchStep &step : result.steps) {
        QVERIFY(step.strategy.has("schedule"));
        if (step.predictedNs)
            times.insert(*step.predictedNs);
    }
    QVERIFY(!times.empty());
    // What saves less than 0.1 % is not kept.
    QVERIFY(bestSoFarNs(result.baselineNs, result.steps) * 99 <= *times.begin() * 100);
    QVERIFY(*times.begin() < result.baselineNs);
}

void SchedulePassesTest::theDefaultsAreTriedFirst()
{
    QFETCH(const QString, pass);
    const SearchStep first = run({ pass.toStdString() }).steps.front();
    QCOMPARE(first.farness, 0.0);
    Strategy byDefault { { "schedule", *first.strategy.text("schedule") } };
    QCOMPARE(m_sample.predictor().iterationNs(byDefault, {}), first.predictedNs);
}

/// TAC was tried with the partitions of P3.
void SchedulePassesTest::sizesOfAnotherScheduleAreNotTakenOver()
{
    for (const SearchStep &step : run({ "p3", "tictac" }).steps)
        QCOMPARE(step.strategy.has("partition_bytes"), step.pass == "p3");
}

void SchedulePassesTest::stepsAroundTheGridFindNoWorse()
{
    const SearchResult result = run({ "bytescheduler" });
    std::optional<std::int64_t> ofGrid, ofSteps;
    for (const SearchStep &step : result.steps) {
        const bool isOfGrid = step.reason.find("near the best") == std::string::npos;
        std::optional<std::int64_t> &least = isOfGrid ? ofGrid : ofSteps;
        if (step.predictedNs && (!least || *step.predictedNs < *least))
            least = step.predictedNs;
    }
    QVERIFY(ofGrid && ofSteps);
    QVERIFY(result.steps.size() >= 15 + 4);
    QVERIFY(std::min(*ofGrid, *ofSteps) < result.steps.front().predictedNs); // the default
    QVERIFY(bestSoFarNs(result.baselineNs, result.steps) * 1000 <= *ofGrid * 1001);
}

void SchedulePassesTest::aSummaryIsMeanAndNearestRank()
{
    std::vector<std::int64_t> times(100);
    std::iota(times.rbegin(), times.rend(), 1); // 100 to 1
    QCOMPARE(summaryOf(times).predictedNs, std::optional<std::int64_t>(50));
    QCOMPARE(summaryOf(times).p95Ns, std::optional<std::int64_t>(95));
    QCOMPARE(summaryOf({ 7 }).p95Ns, std::optional<std::int64_t>(7));
    QCOMPARE(summaryOf({ 3, 1, 2 }).p95Ns, std::optional<std::int64_t>(3));
}

void SchedulePassesTest::ordersByChanceAreABaseline()
{
    Predictor predictor = m_sample.predictor();
    const Baseline found = baselinesOf(predictor, {}, {}).back();
    QCOMPARE(found.name, std::string_view("random_order"));
    QVERIFY(found.unknown.empty());
    std::vector<std::int64_t> times;
    for (int seed = 0; seed < 100; ++seed)
        times.push_back(*predictor.iterationNs({ { "schedule", std::string("random") },
                                                 { "schedule_seed", static_cast<double>(seed) } },
                                               {}));
    QCOMPARE(found.predictedNs, summaryOf(times).predictedNs);
    QCOMPARE(found.p95Ns, summaryOf(times).p95Ns);
    QVERIFY(*std::min_element(times.begin(), times.end()) < *found.predictedNs);
    QVERIFY(*found.predictedNs < *found.p95Ns);
}

void SchedulePassesTest::ordersByChanceEndWithTheTime()
{
    Predictor predictor = m_sample.predictor();
    const Baseline found = baselinesOf(predictor, { .environment = {}, .seconds = 0 }, {}).back();
    QVERIFY(!found.predictedNs && !found.p95Ns);
    QCOMPARE(found.unknown, std::string("The time was up after 0 of 100 orders by chance."));
    const Baseline given
        = baselinesOf(predictor, { .environment = { { "schedule", std::string("p3") } } }, {})
              .back();
    QVERIFY(given.unknown.find("schedule, which is given") != std::string::npos);
}

LONGPOLE_TEST(SchedulePassesTest)
#include "tst_schedule_passes.moc"
