#include "core/fit/contention/overlap_regression.h"

#include <QTest>

#include <cmath>
#include <vector>

using namespace core;

namespace {

/// Ops of 1 and 2 ms that take 1.2 times as long beside transfers, each a percent more or less.
std::vector<OverlapFamily> families()
{
    std::vector<OverlapFamily> made;
    for (std::size_t f = 0; f < 12; ++f) {
        OverlapFamily family;
        for (std::size_t i = 0; i < 10; ++i) {
            const double x = static_cast<double>((i + f) % 5) / 4;
            const double ns = (f % 2 == 0 ? 1e6 : 2e6) * std::pow(1.2, x)
                * (1 + ((i * 7 + f) % 3 == 0 ? 0.01 : -0.005));
            family.push_back({ x, std::log(ns), ns, f });
        }
        made.push_back(family);
    }
    return made;
}

} // namespace

class OverlapRegressionTest : public QObject
{
    Q_OBJECT

private slots:
    void theSlopeIsFound()
    {
        const OverlapCost cost = costWithin(families(), true);
        QVERIFY2(std::abs(cost.slope - std::log(1.2)) < 0.005, std::to_string(cost.slope).c_str());
        QVERIFY(cost.standardError > 0 && cost.standardError < 0.005);
        QCOMPARE(cost.samples, std::size_t { 120 });
        QVERIFY(std::abs(cost.deviation - 0.354) < 0.02); // of 0, 1/4, .. 1
        QVERIFY(cost.groups > 10 && cost.groups < 12); // longer families count more
    }

    /// One in thirty takes ten times as long, beside transfers or not.
    void outliersHardlyMoveIt()
    {
        std::vector<OverlapFamily> some = families();
        for (std::size_t f = 0; f < some.size(); f += 3)
            some[f][4]
                = { some[f][4].x, some[f][4].logNs + std::log(10), 10 * some[f][4].weight, f };
        const double plain = costWithin(some, true).slope;
        weighOutliersLess(some);
        const OverlapCost cost = costWithin(some, true);
        QVERIFY2(std::abs(cost.slope - std::log(1.2)) < 0.01, std::to_string(cost.slope).c_str());
        QVERIFY2(std::abs(plain - std::log(1.2)) > 0.05, std::to_string(plain).c_str());
    }

    void equalOverlapTellsNothing()
    {
        std::vector<OverlapFamily> alike = families();
        for (OverlapFamily &family : alike)
            for (OverlapSample &sample : family)
                sample.x = 0.5;
        weighOutliersLess(alike);
        const OverlapCost cost = costWithin(alike, true);
        QCOMPARE(cost.standardError, 0.0);
        QCOMPARE(cost.samples, std::size_t { 0 });
    }

    /// A kernel of another kind that was taken for one of the family told a slowdown by 1.7.
    void oneGroupThatTellsAlmostAllIsNoEvidence()
    {
        const auto sample = [](double x, double us, std::size_t like) {
            return OverlapSample { x, std::log(us), us, like };
        };
        const OverlapCost cost = costWithin(
            { { sample(0, 150, 0), sample(0, 150, 1), sample(0, 150, 2), sample(0.9, 1081, 3) },
              { sample(0, 278, 4), sample(0.49, 297, 5), sample(0.49, 297, 6),
                sample(0, 231, 7) } },
            true);
        QVERIFY2(cost.groups < 5, std::to_string(cost.groups).c_str()); // of eight
    }

    /// A rank that is slower in all, and a family that is, are none of the overlap's doing.
    void ranksAndFamiliesAreTakenOut()
    {
        std::vector<OverlapOfRanks> list;
        for (std::size_t f = 0; f < 6; ++f) {
            OverlapOfRanks family;
            for (std::size_t rank = 0; rank < 3; ++rank) {
                const double x = (f + rank) % 3 == 0 ? 1 : 0;
                const double logNs = 10 + static_cast<double>(f) + 0.3 * static_cast<double>(rank)
                    + 0.25 * x + (f % 2 == 0 ? 0.001 : -0.001) * (rank == 1 ? 1 : -1);
                family.ofRank.push_back({ 2 * x, 2 * logNs, 2, 1e6 }); // sums of two
            }
            list.push_back(family);
        }
        const OverlapCost cost = costBetweenRanks(list);
        QVERIFY2(std::abs(cost.slope - 0.25) < 0.005, std::to_string(cost.slope).c_str());
        QCOMPARE(cost.samples, std::size_t { 36 });
        list.resize(2);
        QCOMPARE(costBetweenRanks(list).samples, std::size_t { 0 });
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(OverlapRegressionTest)
#include "tst_overlap_regression.moc"
