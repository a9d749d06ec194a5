#include "core/pipeline/pipeline.h"
#include "core/predict/more_ranks.h"
#include "ui/session/session.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/compare/result_header.h"
#include "ui/views/compare/what_if_panel.h"

#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include <numeric>

using namespace ui;

/// On the sample of two ranks.
class TestCompareView : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void theHeaderSaysWhyThereIsNoResult();
    void recordedRanksThatStandForOthersSaySo();
    void anErrorGoesWithItsSetting();
    void aLowViewHasRoomForRows();
    void aReferenceStandsAboveThePrediction();

private:
    void openAnalysed(Session &session) const;

    QTemporaryDir m_folder;
    QString m_project;
};

namespace {

QStringList visibleTexts(const QWidget &view)
{
    QStringList texts;
    for (const QLabel *label : view.findChildren<QLabel *>())
        if (!label->isHidden())
            texts << label->accessibleName() << label->text();
    return texts;
}

} // namespace

void TestCompareView::initTestCase()
{
    m_project = m_folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       m_project.toStdString(), {}, {});
}

void TestCompareView::openAnalysed(Session &session) const
{
    constexpr int AnalysisTimeoutMs = 120'000;
    session.openProject(m_project);
    QTRY_VERIFY_WITH_TIMEOUT(session.diagnosis() != nullptr, AnalysisTimeoutMs);
}

/// Only the command line told it.
void TestCompareView::recordedRanksThatStandForOthersSaySo()
{
    Session session;
    const CompareView view(session, nullptr);
    openAnalysed(session);
    core::Strategy settings;
    settings.set({ "world_size", 8 });
    const QString sentence = QString::fromStdString(core::standInText(settings, 2));
    QVERIFY(!sentence.isEmpty() && !visibleTexts(view).contains(sentence));
    session.predict(settings);
    QTRY_VERIFY(visibleTexts(view).contains(sentence));
    session.clearPrediction();
    QVERIFY(!visibleTexts(view).contains(sentence));
}

/// Switched off again, a setting that could not be predicted left its error behind.
void TestCompareView::anErrorGoesWithItsSetting()
{
    Session session;
    const CompareView view(session, nullptr);
    openAnalysed(session);
    auto &panel = *view.findChild<WhatIfPanel *>();
    emit session.predictionFailed(QStringLiteral("It does not work."));
    QVERIFY(visibleTexts(panel).contains(QStringLiteral("It does not work.")));
    panel.setStrategy({});
    emit panel.strategyChanged();
    QTRY_VERIFY(!visibleTexts(panel).contains(QStringLiteral("It does not work.")));
}

/// It said that the graph was being built without a project, and after that was cancelled.
void TestCompareView::theHeaderSaysWhyThereIsNoResult()
{
    Session session;
    const CompareView view(session, nullptr);
    const auto &header = *view.findChild<ResultHeader *>();
    QCOMPARE(header.accessibleDescription(), QString());
    session.openProject(m_project);
    // No event has been handled since: no job can have delivered.
    QVERIFY(header.accessibleDescription().contains(QStringLiteral("is being built")));
    session.cancelJob(QStringLiteral("load"));
    QVERIFY(!session.analysisError().isEmpty());
    QCOMPARE(header.accessibleDescription(), session.analysisError());
}

/// At 900 x 600 two or three rows of each timeline were seen.
void TestCompareView::aReferenceStandsAboveThePrediction()
{
    Session session;
    const CompareView view(session, nullptr);
    openAnalysed(session);
    const auto isShown = [&] { return view.isReadyForScreenshot() && session.isIdle(); };
    const auto above = [&]() -> TimelineWidget & {
        for (TimelineWidget *timeline : view.findChildren<TimelineWidget *>())
            if (timeline->accessibleName() != QStringLiteral("Predicted timeline"))
                return *timeline;
        qFatal("There is no timeline above.");
    };
    const core::Strategy first { { "bucket_cap_mb", 5.0 } }, second { { "bandwidth_scale", 2.0 } };
    session.predict(first);
    QTRY_VERIFY_WITH_TIMEOUT(session.prediction() != nullptr && isShown(), 60'000);
    QVERIFY(!above().state().source()->isPredicted());
    session.keepAsReference();
    session.predict(second);
    QTRY_VERIFY_WITH_TIMEOUT(session.prediction()->strategy == second && isShown(), 60'000);
    QVERIFY(session.reference()->strategy == first);
    QVERIFY(above().state().source()->isPredicted());
    const QStringList texts = visibleTexts(view);
    QVERIFY(std::any_of(texts.begin(), texts.end(), [](const QString &text) {
        return text.startsWith(QStringLiteral("Compared with: ")) && text.contains(u'5');
    }));
    session.clearReference();
    QTRY_VERIFY_WITH_TIMEOUT(isShown() && !above().state().source()->isPredicted(), 60'000);
}

void TestCompareView::aLowViewHasRoomForRows()
{
    Session session;
    CompareView view(session, nullptr);
    const auto rowsHeight = [&view](int height) {
        view.resize(900, height);
        view.show();
        QCoreApplication::processEvents();
        const auto timelines = view.findChildren<TimelineWidget *>();
        return std::accumulate(timelines.begin(), timelines.end(), 0,
                               [](int sum, const TimelineWidget *timeline) {
                                   return sum + timeline->state().viewportHeight();
                               });
    };
    openAnalysed(session);
    const int high = rowsHeight(580);
    QVERIFY(rowsHeight(540) > high);
    QCOMPARE(rowsHeight(580), high);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCompareView)
#include "tst_compare_view.moc"
