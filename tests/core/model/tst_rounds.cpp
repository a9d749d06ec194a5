#include "core/model/rounds.h"

#include <QTest>

using core::Rounds;
using core::TimeRange;

class RoundsTest : public QObject
{
    Q_OBJECT

private slots:
    void theNthRunOfEachKeyIsInIterationN()
    {
        Rounds rounds;
        rounds.add(2, { 105, 120 }); // any order
        rounds.add(1, { 0, 30 });
        rounds.add(2, { 10, 40 });
        rounds.add(1, { 100, 130 });
        QCOMPARE(rounds.iterations(), (std::vector<TimeRange> { { 0, 100 }, { 100, 130 } }));
    }

    void keysThatRunMoreOrLessOftenDoNotCount()
    {
        Rounds rounds;
        for (const std::int64_t startNs : { 0, 100, 200 }) {
            rounds.add(1, { startNs, startNs + 30 });
            rounds.add(2, { startNs + 5, startNs + 30 });
        }
        rounds.add(3, { 50, 60 }); // a broadcast at the start
        for (std::int64_t startNs = 0; startNs < 300; startNs += 20)
            rounds.add(4, { startNs, startNs + 5 });
        QCOMPARE(rounds.iterations(),
                 (std::vector<TimeRange> { { 0, 100 }, { 100, 200 }, { 200, 230 } }));
    }

    void recordingMayBeginInsideOfAnIteration()
    {
        Rounds rounds;
        for (const std::uint64_t key : { 1U, 2U, 3U })
            for (const std::int64_t startNs : { 0, 100 })
                rounds.add(key, { startNs, startNs + 30 });
        rounds.add(3, { 200, 230 });
        QCOMPARE(rounds.iterations(), (std::vector<TimeRange> { { 0, 100 }, { 100, 230 } }));
    }

    void whatDoesNotRepeatHasNone()
    {
        Rounds rounds;
        QVERIFY(rounds.iterations().empty());
        rounds.add(1, { 0, 30 });
        rounds.add(2, { 0, 30 });
        QVERIFY(rounds.iterations().empty());
    }

    void roundsThatRunIntoEachOtherAreNone()
    {
        Rounds rounds;
        rounds.add(1, { 0, 30 });
        rounds.add(1, { 0, 30 });
        QVERIFY(rounds.iterations().empty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RoundsTest)
#include "tst_rounds.moc"
