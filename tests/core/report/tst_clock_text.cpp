#include "core/report/clock_text.h"

#include <QTest>

using namespace core;

namespace {

constexpr std::int64_t IterationNs = 1'000'000'000, UncertaintyNs = 88'000'000;

/// Three ranks whose clocks were solved, with `iterations` each; one iteration is the whole
/// recording.
ProjectInfo threeRanks(std::int64_t iterations)
{
    ProjectInfo info;
    for (const std::uint32_t worker : { 0U, 1U, 2U }) {
        info.workers.emplace_back().id = WorkerId(worker);
        Alignment &clock = info.alignment.workers.emplace_back();
        clock.worker = WorkerId(worker);
        clock.isKnown = true;
        clock.isReference = worker == 0;
        clock.uncertaintyNs = clock.isReference ? 0 : UncertaintyNs;
        Track &track = info.tracks.emplace_back();
        track.worker = WorkerId(worker);
        track.sliceCount = 1;
        track.range = { 0, iterations * IterationNs };
        for (std::int64_t i = 0; i < iterations; ++i)
            info.iterations.push_back(
                { WorkerId(worker), i, { i * IterationNs, (i + 1) * IterationNs } });
    }
    return info;
}

QString sentence(const ProjectInfo &info)
{
    return QString::fromStdString(clockSentence(info));
}

} // namespace

class ClockTextTest : public QObject
{
    Q_OBJECT

private slots:
    void theUncertaintyIsSetBesideAnIteration();
    void clocksThatAreNotSolvedAreNotSaidToAgree();
    void clocksThatAreSureNeedNoSentence();
};

void ClockTextTest::theUncertaintyIsSetBesideAnIteration()
{
    QCOMPARE(
        sentence(threeRanks(2)),
        QStringLiteral("The clocks may differ by up to 88 ms, 8.8 % of the median iteration."));
    QCOMPARE(sentence(threeRanks(1)),
             QStringLiteral("The clocks may differ by up to 88 ms, 8.8 % of the recorded time."));
}

/// "The clocks agree to 88 ms" was said where nothing tied one of them to the others.
void ClockTextTest::clocksThatAreNotSolvedAreNotSaidToAgree()
{
    const QString ofSolved = QStringLiteral(
        "The clocks that were solved may differ by up to 88 ms, 8.8 % of the median iteration.");
    ProjectInfo unknown = threeRanks(2);
    unknown.alignment.workers[2].isKnown = false;
    QCOMPARE(sentence(unknown), ofSolved);

    ProjectInfo byHand = threeRanks(2);
    byHand.alignment.workers[2].uncertaintyNs = 0;
    byHand.byHand.push_back(byHand.alignment.workers[2]);
    QCOMPARE(sentence(byHand), ofSolved);
}

void ClockTextTest::clocksThatAreSureNeedNoSentence()
{
    ProjectInfo info = threeRanks(2);
    for (Alignment &clock : info.alignment.workers)
        clock.uncertaintyNs = 0;
    QVERIFY(sentence(info).isEmpty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ClockTextTest)
#include "tst_clock_text.moc"
