#include "core/optimize/gaussian_tuner.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace core;

class GaussianTunerTest : public QObject
{
    Q_OBJECT

private slots:
    void itComesNearTheLeastCost();
    void itBeatsAsManyPointsByChance();
    void whatCannotBeHadIsLeftOut();
    void nothingToBeHadGivesNothing();
};

namespace {

/// A bowl, least at (x, y).
auto bowl(double x, double y)
{
    return [x, y](const TunedPoint &point) -> std::optional<double> {
        return std::pow(point.first - x, 2) + 2 * std::pow(point.second - y, 2);
    };
}

GaussianTuning fourFirst()
{
    GaussianTuning tuning;
    tuning.first = { { 0.1, 0.1 }, { 0.9, 0.1 }, { 0.5, 0.5 }, { 0.1, 0.9 } };
    return tuning;
}

} // namespace

void GaussianTunerTest::itComesNearTheLeastCost()
{
    for (const TunedPoint &least :
         { TunedPoint { 0.7, 0.8 }, { 0.2, 0.3 }, { 1, 1 }, { 0, 0.5 } }) {
        const auto found = tunedByGaussianProcess(fourFirst(), bowl(least.first, least.second));
        QVERIFY(found.has_value());
        QVERIFY(std::abs(found->first - least.first) <= 0.15);
        QVERIFY(std::abs(found->second - least.second) <= 0.15);
    }
}

void GaussianTunerTest::itBeatsAsManyPointsByChance()
{
    std::mt19937 random(5);
    const auto anyPart = [&random] { return static_cast<double>(random() % 1001) / 1000; };
    double tuned = 0, byChance = 0;
    for (int round = 0; round < 50; ++round) {
        const auto costOf = bowl(anyPart(), anyPart());
        const GaussianTuning tuning = fourFirst();
        tuned += *costOf(*tunedByGaussianProcess(tuning, costOf));
        double least = 1e9;
        for (std::size_t i = 0; i < tuning.first.size() + tuning.samples; ++i)
            least = std::min(least, *costOf({ anyPart(), anyPart() }));
        byChance += least;
    }
    QVERIFY2(tuned < byChance / 2, qPrintable(QString::number(tuned / byChance)));
}

void GaussianTunerTest::whatCannotBeHadIsLeftOut()
{
    std::set<TunedPoint> asked;
    const auto costOf = [&asked](const TunedPoint &point) -> std::optional<double> {
        if (!asked.insert(point).second)
            QTest::qFail("a point is asked for twice", __FILE__, __LINE__);
        if (point.first > 0.5)
            return std::nullopt;
        return 1 - point.first;
    };
    const auto found = tunedByGaussianProcess(fourFirst(), costOf);
    QVERIFY(found.has_value());
    QVERIFY(found->first <= 0.5);
    QVERIFY(found->first >= 0.4);
    QCOMPARE(asked.size(), std::size_t { 24 });
}

void GaussianTunerTest::nothingToBeHadGivesNothing()
{
    QVERIFY(!tunedByGaussianProcess(fourFirst(), [](const TunedPoint &) { return std::nullopt; }));
}

LONGPOLE_TEST(GaussianTunerTest)
#include "tst_gaussian_tuner.moc"
