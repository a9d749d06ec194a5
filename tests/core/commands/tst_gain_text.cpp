#include "core/commands/gain_text.h"

#include <QTest>

using namespace core;

class TestGainText : public QObject
{
    Q_OBJECT

private slots:
    /// Advice that may bring nothing was listed like what surely helps.
    void aGainThatMayBeNothingSaysSo()
    {
        Bottleneck found;
        QCOMPARE(gainIntervalText(found), std::string());
        found.gainInterval = GainInterval { 2'000'000, 5'000'000 };
        QCOMPARE(gainIntervalText(found), std::string("; 95 % interval 2.000 ms to 5.000 ms"));
        found.gainInterval->lowNs = 0;
        QCOMPARE(gainIntervalText(found),
                 std::string("; may be nothing; 95 % interval 0 ns to 5.000 ms"));
        found.gainInterval->lowNs = -2'000'000;
        QCOMPARE(gainIntervalText(found),
                 std::string("; may be nothing; 95 % interval -2.000 ms to 5.000 ms"));
        found.unknownInterval = "it is too large.";
        QCOMPARE(gainIntervalText(found), std::string("; interval not known: it is too large."));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGainText)
#include "tst_gain_text.moc"
