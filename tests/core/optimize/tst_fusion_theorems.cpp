#include "core/optimize/fusion_theorems.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace core;

class TestFusionTheorems : public QObject
{
    Q_OBJECT

private slots:
    void partsAreJoinedWhereThatSavesMoreThanTheReductionTakes_data()
    {
        QTest::addColumn<double>("savedNs");
        QTest::addColumn<bool>("isJoined");
        QTest::newRow("less") << 29.0 << false;
        QTest::newRow("as much") << 30.0 << true; // "<=" of theorem 1
        QTest::newRow("more") << 31.0 << true;
    }
    void partsAreJoinedWhereThatSavesMoreThanTheReductionTakes()
    {
        QFETCH(const double, savedNs);
        QFETCH(const bool, isJoined);
        FusionChain chain { { { 1, 20, 0, 30, {} }, { 2, 5, 100, 115, savedNs } }, 1 };
        const FusionRound round = fusionRound(chain, syncNs);
        QCOMPARE(round.byTheorem1, isJoined ? 1U : 0U);
        QCOMPARE(round.counts,
                 isJoined ? (std::vector<std::size_t> { 3 }) : (std::vector<std::size_t> { 1, 2 }));
    }

    /// Theorem 2 joins two groups exactly where the last reduction then ends earlier.
    void twoReductionsAreJoinedWhereThatEndsEarlier()
    {
        std::mt19937 random(7);
        std::uniform_int_distribution<int> number(1, 60);
        int joined = 0;
        for (int i = 0; i < 1000; ++i) {
            const double first = number(random), second = number(random), readyNs = number(random);
            const FusionChain chain {
                { { 1, first, 0, syncNs(first), {} }, { 1, second, readyNs, 0, {} } }, 0
            };
            const FusionRound round = fusionRound(chain, syncNs);
            const double apartNs = std::max(syncNs(first), readyNs) + syncNs(second);
            const double togetherNs = readyNs + syncNs(first + second);
            QCOMPARE(round.byTheorem2, togetherNs < apartNs ? 1U : 0U);
            joined += static_cast<int>(round.byTheorem2);
        }
        QVERIFY(joined > 100 && joined < 900);
    }

    void whatCannotBeJoinedStaysApartWhileItComputes()
    {
        const FusionChain chain { { { 1, 1, 0, 11, {} }, { 1, 1, 100, 111, {} } }, 1 };
        QCOMPARE(fusionRound(chain, syncNs).counts, (std::vector<std::size_t> { 1, 1 }));
    }

    /// Time saved before makes the next part ready earlier.
    void savedTimeMovesWhatFollows()
    {
        FusionChain chain { { { 1, 1, 0, 11, {} }, { 1, 29, 30, 70, 20.0 }, { 1, 5, 80, 95, {} } },
                            1 };
        // Joined: ready at 10, reduced at 50; the third, ready at 60, is not waited for.
        FusionRound round = fusionRound(chain, syncNs);
        QCOMPARE(round.byTheorem1, 1U);
        QCOMPARE(round.counts, (std::vector<std::size_t> { 2, 1 }));
        chain.groups[2].computedNs = 39; // then ready at 19, before 50 - 30
        round = fusionRound(chain, syncNs);
        QCOMPARE(round.counts, (std::vector<std::size_t> { 3 }));
    }

    void theTurnIsTheLastGroupThatDidNotWait()
    {
        FusionChain chain { { { 1, 1, 0, 10'000, {} },
                              { 1, 1, 20'000, 90'000, {} },
                              { 1, 1, 30'000, 99'000, {} },
                              { 1, 1, 50'000, 110'000, {} } } };
        QCOMPARE(turnOf(chain), std::size_t { 1 });
        chain.groups[3].computedNs = 200'000;
        QCOMPARE(turnOf(chain), std::size_t { 3 });
        QCOMPARE(turnOf({}), std::size_t { 0 });
    }

    void nothingIsNothing() { QVERIFY(fusionRound({}, syncNs).counts.empty()); }

private:
    /// 10 a transfer and 1 a byte.
    static double syncNs(double bytes) { return 10 + bytes; }
};

LONGPOLE_TEST(TestFusionTheorems)
#include "tst_fusion_theorems.moc"
