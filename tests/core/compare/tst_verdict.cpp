#include "core/compare/verdict.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

class VerdictTest : public QObject
{
    Q_OBJECT

private slots:
    void aPromiseIsJudgedByBothIntervals_data();
    void aPromiseIsJudgedByBothIntervals();
    void aDifferenceIsJudgedByItsNoise_data();
    void aDifferenceIsJudgedByItsNoise();
    void noiseIsTheLargerHalf();
};

Q_DECLARE_METATYPE(RunVerdict)
Q_DECLARE_METATYPE(RunGain)

void VerdictTest::aPromiseIsJudgedByBothIntervals_data()
{
    QTest::addColumn<RunGain>("promised");
    QTest::addColumn<RunGain>("measured");
    QTest::addColumn<RunVerdict>("verdict");
    const RunGain promised { 100, 80, 120 };
    const auto row = [](const char *name, RunGain of, RunGain measured, RunVerdict verdict) {
        QTest::newRow(name) << of << measured << verdict;
    };
    row("as promised", promised, { 100, 90, 110 }, RunVerdict::Kept);
    row("more", promised, { 200, 190, 210 }, RunVerdict::Kept);
    row("less, intervals touch", promised, { 70, 60, 80 }, RunVerdict::Kept);
    row("less, beyond both", promised, { 70, 61, 79 }, RunVerdict::NotKept);
    row("nothing", promised, { 0, -10, 10 }, RunVerdict::NotKept);
    row("slower", promised, { -50, -60, -40 }, RunVerdict::NotKept);
    row("as promised, but it may be nothing", promised, { 100, 0, 200 }, RunVerdict::Inconclusive);
    row("nothing, with much noise", promised, { 0, -90, 90 }, RunVerdict::Inconclusive);
    const RunGain loose { 100, -20, 220 };
    row("a loose promise of which nothing came", loose, { 0, -10, 10 }, RunVerdict::Inconclusive);
    row("a loose promise of which a little came", loose, { 15, 5, 25 }, RunVerdict::Kept);
    row("a loose promise, and it is slower", loose, { -10, -15, -5 }, RunVerdict::NotKept);
    const RunGain loss { -100, -120, -80 };
    row("a loss as predicted", loss, { -100, -110, -90 }, RunVerdict::Kept);
    row("a smaller loss", loss, { -50, -60, -40 }, RunVerdict::Kept);
    row("a larger loss", loss, { -140, -150, -130 }, RunVerdict::NotKept);
}

void VerdictTest::aPromiseIsJudgedByBothIntervals()
{
    QFETCH(const RunGain, promised);
    QFETCH(const RunGain, measured);
    QFETCH(const RunVerdict, verdict);
    QCOMPARE(verdictName(verdictOnPromise(promised, measured)), verdictName(verdict));
}

void VerdictTest::aDifferenceIsJudgedByItsNoise_data()
{
    QTest::addColumn<RunGain>("measured");
    QTest::addColumn<RunVerdict>("verdict");
    QTest::newRow("faster") << RunGain { 10, 1, 19 } << RunVerdict::Faster;
    QTest::newRow("slower") << RunGain { -10, -19, -1 } << RunVerdict::Slower;
    QTest::newRow("perhaps faster") << RunGain { 10, -1, 21 } << RunVerdict::NoDifference;
    QTest::newRow("the same run") << RunGain { 0, 0, 0 } << RunVerdict::NoDifference;
}

void VerdictTest::aDifferenceIsJudgedByItsNoise()
{
    QFETCH(const RunGain, measured);
    QFETCH(const RunVerdict, verdict);
    QCOMPARE(verdictName(verdictOnGain(measured)), verdictName(verdict));
}

void VerdictTest::noiseIsTheLargerHalf()
{
    QCOMPARE((RunGain { 10, 4, 13 }.noiseNs()), std::int64_t { 6 });
    QCOMPARE((RunGain { 10, 8, 15 }.noiseNs()), std::int64_t { 5 });
}

LONGPOLE_TEST(VerdictTest)
#include "tst_verdict.moc"
