#include "core/pipeline/collective_times.h"

#include <QTest>

using namespace core;

/// The times of collectives, for all queries of one state of a project.
class TestComputedOnce : public QObject
{
    Q_OBJECT

private slots:
    void theSourceIsAskedOnce()
    {
        int asked = 0;
        const CollectiveTimesSource times = computedOnce([&asked](const JobControl &) {
            ++asked;
            return std::vector<CollectiveTime> { { SliceId(3), 40, 60, "dp", 7, 2 } };
        });
        const CollectiveTimesSource another = times;
        QCOMPARE(times({}).front().waitNs, 40);
        QCOMPARE(another({}).front().lastRank, 2);
        QCOMPARE(asked, 1);
    }

    void whatWasCancelledIsAskedAgain()
    {
        bool isCancelled = true;
        const CollectiveTimesSource times = computedOnce([&isCancelled](const JobControl &) {
            if (isCancelled)
                throw Cancelled {};
            return std::vector<CollectiveTime>(2);
        });
        QVERIFY_THROWS_EXCEPTION(Cancelled, times({}));
        isCancelled = false;
        QCOMPARE(times({}).size(), std::size_t { 2 });
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestComputedOnce)
#include "tst_computed_once.moc"
