#include "ui/models/clock_words.h"

#include <QTest>

using namespace ui;

namespace {

constexpr std::int64_t IterationNs = 1'300'000'000;

core::ClockUncertainty clocksOf(std::int64_t ns)
{
    return { .ns = ns, .iterationNs = IterationNs, .hasIterations = true };
}

QString plain(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' '));
}

} // namespace

class TestClockWords : public QObject
{
    Q_OBJECT

private slots:
    void aLargeUncertaintyIsSetBesideAnIteration();
    void aSmallOneSpeaksForItself();
    void aRecordingOfNoIterationsIsNotCalledOne();
    void aDriftThatIsNotProvedIsNotKnown();
};

/// "clocks agree ±114 ms" promised much for an iteration of 1.3 s; and which iteration that is was
/// not said: the window's other pages name the median of the slowest rank.
void TestClockWords::aLargeUncertaintyIsSetBesideAnIteration()
{
    const core::ClockUncertainty clocks = clocksOf(114'000'000);
    QCOMPARE(plain(clockUncertaintyText(clocks)),
             QStringLiteral("\u00b1114 ms (8.8 % of an iteration)"));
    QVERIFY(plain(clockUncertaintySentence(clocks))
                .startsWith(QStringLiteral("The largest \u00b1 is 114.0 ms, 8.8 % of the median "
                                           "iteration of all ranks (1.300 s). ")));
}

void TestClockWords::aSmallOneSpeaksForItself()
{
    QCOMPARE(plain(clockUncertaintyText(clocksOf(362'000))), QStringLiteral("\u00b1362 \u00b5s"));
}

void TestClockWords::aRecordingOfNoIterationsIsNotCalledOne()
{
    core::ClockUncertainty clocks = clocksOf(362'000);
    clocks.hasIterations = false;
    QVERIFY(plain(clockUncertaintyText(clocks)).endsWith(QStringLiteral("of the recorded time)")));
    QVERIFY(!clockUncertaintySentence(clocks).contains(QStringLiteral("iteration")));
    clocks.iterationNs = 0;
    QCOMPARE(plain(clockUncertaintyText(clocks)), QStringLiteral("\u00b1362 \u00b5s"));
    QVERIFY(plain(clockUncertaintySentence(clocks))
                .startsWith(QStringLiteral("The largest \u00b1 is 362.0 \u00b5s. ")));
}

void TestClockWords::aDriftThatIsNotProvedIsNotKnown()
{
    QCOMPARE(plain(clockDriftText({ 34.54, {} })), QStringLiteral("+34.5 ppm"));
    QCOMPARE(plain(clockDriftText({ {}, 40.2 })), QStringLiteral("not known (\u00b140 ppm)"));
    QCOMPARE(plain(clockDriftText({ 34.54, 4.2 })), QStringLiteral("+34.5 ppm (\u00b14 ppm)"));
    QCOMPARE(clockDriftText({}), QStringLiteral("not known"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestClockWords)
#include "tst_clock_words.moc"
