#include "core/analyze/report/iteration_groups.h"

#include <QtTest>

#include <random>

using namespace core;

namespace {

constexpr double MsToNs = 1e6;

std::vector<CommonIteration> iterationsOf(const std::vector<double> &durationsMs)
{
    std::vector<CommonIteration> iterations;
    for (const double ms : durationsMs) {
        CommonIteration iteration;
        iteration.index = static_cast<std::int64_t>(iterations.size()) + 10;
        iteration.slowestNs = std::llround(ms * MsToNs);
        iterations.push_back(iteration);
    }
    return iterations;
}

std::optional<IterationGroups> groupsOf(const std::vector<double> &durationsMs)
{
    return iterationGroups(iterationsOf(durationsMs), {});
}

} // namespace

class IterationGroupsTest : public QObject
{
    Q_OBJECT

private slots:
    void twoKindsAreToldWithTheirNumbers();
    void noiseWithinAGroupDoesNotHideIt();
    void theScaleDoesNotMatter();
    void iterationsOfOneKindAreNoGroups_data();
    void iterationsOfOneKindAreNoGroups();
    void oneThatTakesMoreThanTwiceAsLongIsNamed();
    void noiseSeldomLooksLikeTwoKinds();
    void cancelStopsIt();
};

/// The median of all stood for iterations of 30 ms and of 80 ms.
void IterationGroupsTest::twoKindsAreToldWithTheirNumbers()
{
    const auto groups = groupsOf({ 30, 31, 80, 29, 30, 82 });
    QVERIFY(groups);
    QCOMPARE(groups->slower, (std::vector<std::int64_t> { 12, 15 }));
    QCOMPARE(groups->count, std::size_t { 6 });
    QCOMPARE(groups->slowerNs, std::int64_t { 81'000'000 });
    QCOMPARE(groups->othersNs, std::int64_t { 30'000'000 });
    QCOMPARE(
        QString::fromStdString(iterationGroupsText(*groups)),
        QStringLiteral(
            "2 of 6 iterations take 2.7 times as long as the others (81.00 ms, the "
            "others 30.00 ms): iterations 12 and 15. Predictions are of the median iteration."));
}

/// One that sleeps 300 ms in every third iteration, on a machine that others use, too.
void IterationGroupsTest::noiseWithinAGroupDoesNotHideIt()
{
    const auto groups = groupsOf({ 362.1, 72.0, 112.1, 322.0, 52.7, 104.3 });
    QVERIFY(groups);
    QCOMPARE(groups->slower, (std::vector<std::int64_t> { 10, 13 }));
}

void IterationGroupsTest::theScaleDoesNotMatter()
{
    for (const double scale : { 1e-3, 1.0, 1e5 }) {
        QVERIFY(groupsOf({ 30 * scale, 31 * scale, 80 * scale, 29 * scale, 82 * scale }));
        QVERIFY(!groupsOf({ 30 * scale, 31 * scale, 35 * scale, 29 * scale, 33 * scale }));
    }
}

void IterationGroupsTest::iterationsOfOneKindAreNoGroups_data()
{
    QTest::addColumn<QList<double>>("durationsMs");
    QTest::newRow("none") << QList<double> {};
    QTest::newRow("one") << QList<double> { 30 };
    QTest::newRow("one and one") << QList<double> { 30, 80 };
    QTest::newRow("two and one, not twice as long") << QList<double> { 30, 35, 69 };
    QTest::newRow("equal") << QList<double> { 30, 30, 30, 30, 30, 30 };
    QTest::newRow("of no length") << QList<double> { 0, 0, 0, 0, 0, 0 };
    QTest::newRow("one, not twice as long") << QList<double> { 30, 31, 30, 29, 30, 61 };
    QTest::newRow("a ramp") << QList<double> { 30, 40, 50, 60, 70, 80 };
    QTest::newRow("two kinds that one median stands for")
        << QList<double> { 100, 104, 100, 104, 100, 104 };
    QTest::newRow("groups as wide as the gap") << QList<double> { 30, 50, 70, 90, 110, 115 };
}

void IterationGroupsTest::iterationsOfOneKindAreNoGroups()
{
    QFETCH(const QList<double>, durationsMs);
    QVERIFY(!groupsOf({ durationsMs.begin(), durationsMs.end() }));
}

/// An iteration of 408 ms beside 142 and 157 was told as a wide interval only.
void IterationGroupsTest::oneThatTakesMoreThanTwiceAsLongIsNamed()
{
    const auto groups = groupsOf({ 157, 408.2, 142.2 });
    QVERIFY(groups);
    QCOMPARE(
        QString::fromStdString(iterationGroupsText(*groups)),
        QStringLiteral("1 of 3 iterations takes 2.73 times as long as the others (408.2 ms, the "
                       "others 149.6 ms): iteration 11. Predictions are of the median iteration."));
    QCOMPARE(groupsOf({ 30, 31, 30, 29, 30, 90 })->slower, (std::vector<std::int64_t> { 15 }));
}

/// Of values of one kind one in twenty, within three standard deviations of that.
void IterationGroupsTest::noiseSeldomLooksLikeTwoKinds()
{
    constexpr int Jobs = 400, Most = 20 + 3 * 4;
    std::mt19937 random(7);
    std::normal_distribution<double> normal(100, 20);
    std::uniform_real_distribution<double> uniform(50, 150);
    for (const std::size_t count : { 6U, 20U }) {
        int ofNormal = 0, ofUniform = 0;
        for (int job = 0; job < Jobs; ++job) {
            std::vector<double> values(count);
            std::generate(values.begin(), values.end(), [&] { return normal(random); });
            ofNormal += groupsOf(values) ? 1 : 0;
            std::generate(values.begin(), values.end(), [&] { return uniform(random); });
            ofUniform += groupsOf(values) ? 1 : 0;
        }
        QVERIFY2(ofNormal <= Most, std::to_string(ofNormal).c_str());
        QVERIFY2(ofUniform <= Most, std::to_string(ofUniform).c_str());
    }
}

void IterationGroupsTest::cancelStopsIt()
{
    const JobControl cancelled([] { return true; }, [](double, std::string_view) {});
    QVERIFY_THROWS_EXCEPTION(Cancelled,
                             iterationGroups(iterationsOf({ 30, 31, 80, 29, 30, 82 }), cancelled));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(IterationGroupsTest)
#include "tst_iteration_groups.moc"
