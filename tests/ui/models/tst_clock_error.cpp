#include "ui/models/clock_error.h"

#include <QTest>

using namespace ui;

namespace {

core::Alignment clockOf(std::uint32_t worker, std::int64_t uncertaintyNs)
{
    core::Alignment clock;
    clock.worker = core::WorkerId(worker);
    clock.isKnown = true;
    clock.isReference = worker == 0;
    clock.isAsRecorded = true;
    clock.uncertaintyNs = uncertaintyNs;
    return clock;
}

/// Two ranks with an iteration of 1.3 s each, told apart by more than one of them.
core::ProjectInfo twoRanks(std::int64_t uncertaintyNs)
{
    constexpr std::int64_t IterationNs = 1'300'000'000;
    core::ProjectInfo info;
    for (const std::uint32_t worker : { 0U, 1U }) {
        info.workers.emplace_back().id = core::WorkerId(worker);
        info.alignment.workers.push_back(clockOf(worker, uncertaintyNs));
        for (std::int64_t i = 0; i < 2; ++i)
            info.iterations.push_back(
                { core::WorkerId(worker), i, { i * IterationNs, (i + 1) * IterationNs } });
    }
    return info;
}

QString plain(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' '));
}

} // namespace

class TestClockError : public QObject
{
    Q_OBJECT

private slots:
    void aLargeErrorIsSetBesideAnIteration();
    void aSmallErrorSpeaksForItself();
    void withoutIterationsNothingIsSmall();
    void anUnknownClockHasNoError();
    void clocksSetByHandDoNotCount();
};

/// "clocks agree ±114 ms" promised much for an iteration of 1.3 s.
void TestClockError::aLargeErrorIsSetBesideAnIteration()
{
    const auto error = clockError(twoRanks(114'000'000));
    QVERIFY(error && !error->isSmall());
    QCOMPARE(plain(clockErrorText(*error)), QStringLiteral("\u00b1114 ms (8.8 % of an iteration)"));
    QVERIFY(plain(clockErrorSentence(*error))
                .startsWith(QStringLiteral(
                    "The largest \u00b1 is 114.0 ms, 8.8 % of an iteration of 1.300 s")));
}

void TestClockError::aSmallErrorSpeaksForItself()
{
    const auto error = clockError(twoRanks(362'000));
    QVERIFY(error && error->isSmall());
    QVERIFY(!clockErrorText(*error).contains(QStringLiteral("iteration")));
}

void TestClockError::withoutIterationsNothingIsSmall()
{
    core::ProjectInfo info = twoRanks(362'000);
    info.iterations.clear();
    const auto error = clockError(info);
    QVERIFY(error && !error->isSmall() && !error->share());
    QVERIFY(!clockErrorText(*error).contains(QStringLiteral("iteration")));
    QVERIFY(!clockErrorSentence(*error).contains(QStringLiteral("iteration")));
}

void TestClockError::anUnknownClockHasNoError()
{
    core::ProjectInfo info = twoRanks(1000);
    info.alignment.workers[1].isKnown = false;
    QVERIFY(!clockError(info));
    QVERIFY(!clockError({}));
}

void TestClockError::clocksSetByHandDoNotCount()
{
    core::ProjectInfo info = twoRanks(1000);
    info.byHand = { info.alignment.workers[1] };
    QVERIFY(!clockError(info));
}

QTEST_GUILESS_MAIN(TestClockError)
#include "tst_clock_error.moc"
