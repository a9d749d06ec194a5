#include "core/predict/slower_without_cause.h"

#include <QTest>

using namespace core;

namespace {

Prediction predicted(std::int64_t predictedNs)
{
    Prediction result;
    result.measuredNs = 1'000'000;
    result.predictedNs = predictedNs;
    return result;
}

std::optional<TrustReason> doubt(const GraphChange &change, std::int64_t predictedNs)
{
    return slowerWithoutCause(change, { { "host_overhead_scale", 0.0 } }, predicted(predictedNs));
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
    const auto much = doubt(faster(), 1'620'000);
    QVERIFY(much && much->level == TrustLevel::Poor);
    QVERIFY(much->text.find("or operations run in another order. Compare the means.")
            != std::string::npos);
    const auto little = doubt(faster(), 1'004'000);
    QVERIFY(little && little->level == TrustLevel::Fair);
}

void TestSlowerWithoutCause::whatMayBeSlowerIsNot()
{
    QVERIFY(!doubt(faster(), 990'000));
    QVERIFY(!doubt(faster(), 1'000'900)); // a rounding
    QVERIFY(!doubt({}, 1'620'000)); // nothing is changed
    GraphChange slower = faster();
    slower.isLonger = true;
    QVERIFY(!doubt(slower, 1'620'000));
    QVERIFY(!slowerWithoutCause(faster(), {}, predicted(1'620'000)));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSlowerWithoutCause)
#include "tst_slower_without_cause.moc"
