#include "core/change/change_text.h"
#include "core/model/compared_iterations.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/prediction.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/status_strip.h"
#include "ui/main_window/trust.h"
#include "ui/session/session.h"
#include "ui/widgets/format.h"

#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

constexpr int timeoutMs = 120'000;

QString plain(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' '));
}

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

/// Two ranks with two iterations of 1.3 s each.
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
    info.compared = core::comparedIterations(info.workers, info.iterations);
    return info;
}

QPushButton *trustButton(const QWidget &window)
{
    for (QPushButton *button : window.findChild<StatusStrip *>()->findChildren<QPushButton *>())
        if (button->text().startsWith(QStringLiteral("trust")))
            return button;
    return nullptr;
}

} // namespace

class TestTrustStatus : public QObject
{
    Q_OBJECT

private slots:
    void aWhatIfIsGradedAsOne();
    void theStatusGradesWhatIsOnScreen();
    void clocksAgreeWhereTheyDifferByLittle();
    void theIterationsOfTheHeaderAreThoseThatAreCompared();
    void anUnknownClockIsNotAligned();
    void howSureOlderAlignmentsAreIsNotSaid();
};

void TestTrustStatus::aWhatIfIsGradedAsOne()
{
    core::Prediction result;
    result.measuredNs = 1000;
    result.replayErrorFraction = -0.012;
    QCOMPARE(plain(trustText(result)), QStringLiteral("trust: good (replay off by 1.2 %)"));
    result.strategy.set({ "bandwidth_scale", 2 });
    result.trust = core::TrustLevel::Fair;
    QCOMPARE(plain(trustText(result)),
             QStringLiteral("trust in the what-if: fair (replay off by 1.2 %)"));
    result.measuredNs = 0;
    QCOMPARE(trustText(result), QStringLiteral("trust: no replay"));
}

/// It kept the grade of the unchanged trace, "good", for a what-if that the command line graded
/// "fair", and gave no reason.
void TestTrustStatus::theStatusGradesWhatIsOnScreen()
{
    const QTemporaryDir folder;
    const QString project = folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       project.toStdString(), {}, {});
    Session session;
    MainWindow window(session, false);
    window.show();
    window.open({ project });
    QTRY_VERIFY_WITH_TIMEOUT(session.diagnosis() != nullptr, timeoutMs);
    session.predict(core::parseStrategy({ "schedule=p3" }));
    QTRY_VERIFY_WITH_TIMEOUT(session.prediction() != nullptr && session.prediction()->isJudged,
                             timeoutMs);
    session.showView(QStringLiteral("compare"));
    QCOMPARE(trustButton(window)->text(), trustText(*session.prediction()));
    for (const std::string &reason : session.prediction()->trustReasons)
        QVERIFY(trustReasons(session).contains(unbrokenUnits(QString::fromStdString(reason))));
    QCOMPARE(trustButton(window)->toolTip(), toolTipParagraphs(trustReasons(session)));
    QVERIFY(statusDetails(session, StatusSubject::Trust).contains(trustReasons(session)));
    const QString clocks = statusDetails(session, StatusSubject::Clocks);
    QVERIFY2(clocks.contains(QStringLiteral("Rank 0: reference clock")), qPrintable(clocks));
    QVERIFY(!clocks.contains(trustReasons(session)));
    const QString ranks = statusDetails(session, StatusSubject::Ranks);
    QVERIFY2(ranks.startsWith(QStringLiteral("2 ranks, ")), qPrintable(ranks));
    QVERIFY(!ranks.contains(QStringLiteral("reference")));
    session.showView(QStringLiteral("summary")); // whose gains are not the what-if's
    QCOMPARE(trustButton(window)->text(), trustText(session.diagnosis()->selfReplay));
    session.showView(QStringLiteral("compare"));
    session.predict(core::parseStrategy({ "bucket_cap_mb=25" })); // as recorded
    QTRY_VERIFY_WITH_TIMEOUT(session.prediction()->noChange && session.prediction()->isJudged,
                             timeoutMs);
    QVERIFY(statusDetails(session, StatusSubject::Trust)
                .contains(unbrokenUnits(QString::fromStdString(*session.prediction()->noChange))));
}

void TestTrustStatus::clocksAgreeWhereTheyDifferByLittle()
{
    QCOMPARE(plain(alignmentText(twoRanks(362'000))),
             QStringLiteral("clocks agree \u00b1362 \u00b5s"));
    QCOMPARE(plain(alignmentText(twoRanks(114'000'000))),
             QStringLiteral("clocks as recorded \u00b1114 ms (8.8 % of an iteration)"));
    QCOMPARE(alignmentText(twoRanks(0)), QStringLiteral("one clock"));
}

/// With one rank cut, the header counted the marks that were left of it.
void TestTrustStatus::theIterationsOfTheHeaderAreThoseThatAreCompared()
{
    core::ProjectInfo info = twoRanks(0);
    QCOMPARE(iterationsText(info, info.compared), QStringLiteral("2 iterations"));
    info.iterations.back().isWhole = false;
    info.compared = core::comparedIterations(info.workers, info.iterations);
    QCOMPARE(iterationsText(info, info.compared), QStringLiteral("1 of 2 iterations"));
}

void TestTrustStatus::anUnknownClockIsNotAligned()
{
    core::ProjectInfo info = twoRanks(1000);
    info.alignment.workers[1].isKnown = false;
    QCOMPARE(alignmentText(info), QStringLiteral("not aligned"));
    info.alignment.workers.clear();
    QCOMPARE(alignmentText(info), QStringLiteral("not aligned"));
}

/// The distance of collective ends stood for it, which is no uncertainty.
void TestTrustStatus::howSureOlderAlignmentsAreIsNotSaid()
{
    core::ProjectInfo info = twoRanks(0);
    info.alignment.workers[1].isAsRecorded = false;
    info.alignment.workers[1].residualNs = 5'000'000;
    QCOMPARE(alignmentText(info), QStringLiteral("aligned"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTrustStatus)
#include "tst_trust_status.moc"
