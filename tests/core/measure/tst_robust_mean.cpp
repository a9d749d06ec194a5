#include "core/measure/robust_mean.h"

#include <QTest>

using namespace core;

class RobustMeanTest : public QObject
{
    Q_OBJECT

private slots:
    void ofAlikeValuesItIsTheMean();
    void whatIsFarOffCountsAsTheEdge();
    void aLongTailCounts();
};

void RobustMeanTest::ofAlikeValuesItIsTheMean()
{
    QCOMPARE(robustMeanNs({}), 0.0);
    QCOMPARE(robustMeanNs({ 7 }), 7.0);
    QCOMPARE(robustMeanNs({ 5, 5, 5, 900 }), 5.0);
    QCOMPARE(robustMeanNs({ 80, 90, 100, 110, 120 }), 100.0);
}

void RobustMeanTest::whatIsFarOffCountsAsTheEdge()
{
    const double mean = robustMeanNs({ 80, 90, 100, 110, 120, 5000 });
    QVERIFY(mean > 100 && mean < 120);
    const double farther = robustMeanNs({ 80, 90, 100, 110, 120, 50000 });
    QVERIFY(farther - mean < 1);
}

/// Of a dozen hand-overs half took thrice as long as the others, and slices add up what a mean one
/// takes: the median was half of it.
void RobustMeanTest::aLongTailCounts()
{
    const std::vector<std::int64_t> values
        = { 900, 3300, 1200, 4100, 1200, 600, 3300, 1100, 1100, 2700, 5200, 400 }; // mean 2092
    const double mean = robustMeanNs(values);
    QVERIFY(mean > 1700 && mean < 2092);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RobustMeanTest)
#include "tst_robust_mean.moc"
