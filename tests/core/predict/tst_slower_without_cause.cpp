#include "core/predict/slower_without_cause.h"

#include <QTest>

using namespace core;

namespace {

ScenarioResult predicted(std::int64_t predictedNs)
{
    ScenarioResult result;
    result.settings.hostOverheadScale = 0;
    result.measuredNs = 1'000'000;
    result.predictedNs = predictedNs;
    return result;
}

GraphChange faster()
{
    GraphChange change;
    change.isShorter = true;
    return change;
}

} // namespace

/// Of a what-if that takes work away and is predicted to be slower.
class TestSlowerWithoutCause : public QObject
{
    Q_OBJECT

private slots:
    void whatMakesNothingSlowerIsDoubtedWhereItIs();
    void whatMayBeSlowerIsNot();
};

/// Host overhead of none was predicted to take 62 % longer, and a twice as fast accelerator 0.4 %
/// with the best grade, without a word.
void TestSlowerWithoutCause::whatMakesNothingSlowerIsDoubtedWhereItIs()
{
    const auto much = slowerWithoutCause(faster(), predicted(1'620'000));
    QVERIFY(much && much->level == TrustLevel::Poor);
    QVERIFY(much->text.find("or operations run in another order. Compare the means.")
            != std::string::npos);
    const auto little = slowerWithoutCause(faster(), predicted(1'004'000));
    QVERIFY(little && little->level == TrustLevel::Fair);
}

void TestSlowerWithoutCause::whatMayBeSlowerIsNot()
{
    QVERIFY(!slowerWithoutCause(faster(), predicted(990'000)));
    QVERIFY(!slowerWithoutCause(faster(), predicted(1'000'900))); // a rounding
    QVERIFY(!slowerWithoutCause({}, predicted(1'620'000))); // nothing is changed
    GraphChange slower = faster();
    slower.isLonger = true;
    QVERIFY(!slowerWithoutCause(slower, predicted(1'620'000)));
    ScenarioResult unchanged = predicted(1'620'000);
    unchanged.settings = {};
    QVERIFY(!slowerWithoutCause(faster(), unchanged));
}

QTEST_GUILESS_MAIN(TestSlowerWithoutCause)
#include "tst_slower_without_cause.moc"
