#include "core/pipeline/pipeline.h"
#include "core/predict/more_ranks.h"
#include "ui/graph/graph_canvas.h"
#include "ui/graph/graph_legend.h"
#include "ui/session/session.h"
#include "ui/timeline/timeline_track_column.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/compare/bar_legend.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/compare/graph_pair.h"
#include "ui/views/compare/result_header.h"
#include "ui/views/compare/scenarios/scenario_table.h"
#include "ui/views/compare/what_if_panel.h"

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
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
    void aSettingIsAskedOfItsOwnProject();
    void aLowViewHasRoomForRows();
    void scenariosLeaveRoomForTheLegend();
    void bothTimelinesHideTheirNames();
    void aReferenceStandsAboveThePrediction();
    void graphsAreMovedAndOpenedTogether();
    void whatDiffersIsMarkedInBothGraphs();
    void theSelectedOpIsShownInTheGraph();

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

/// Measured above, predicted below, with small buckets.
class ComparedGraphs
{
public:
    explicit ComparedGraphs(const QString &project)
        : m_view(m_session, nullptr)
    {
        m_view.resize(1280, 900);
        m_view.show();
        m_session.openProject(project);
        if (!QTest::qWaitFor([this] { return m_session.diagnosis() != nullptr; }, TimeoutMs))
            return;
        m_session.predict({ { "bucket_cap_mb", 5.0 } });
        if (!QTest::qWaitFor(
                [this] { return m_session.prediction() != nullptr && m_session.isIdle(); },
                TimeoutMs))
            return;
        m_view.actions().front()->trigger(); // graphs instead of timelines
        m_isDrawn = awaitDrawn();
    }
    bool awaitDrawn()
    {
        return QTest::qWaitFor(
            [this] {
                return m_view.isReadyForScreenshot() && above().drawing() != nullptr
                    && below().drawing() != nullptr;
            },
            TimeoutMs);
    }
    bool isDrawn() const { return m_isDrawn; }
    Session &session() { return m_session; }
    CompareView &view() { return m_view; }
    GraphCanvas &above() { return canvas("Graph above"); }
    GraphCanvas &below() { return canvas("Predicted graph"); }

private:
    GraphCanvas &canvas(const char *name)
    {
        for (GraphCanvas *const canvas : m_view.findChildren<GraphCanvas *>())
            if (canvas->accessibleName() == QLatin1String(name))
                return *canvas;
        qFatal("There is no such graph.");
    }

    static constexpr int TimeoutMs = 60'000;
    Session m_session;
    CompareView m_view;
    bool m_isDrawn = false;
};

std::uint32_t blockNamed(const GraphCanvas &canvas, const char *name)
{
    const auto &blocks = canvas.drawing()->blocks;
    return static_cast<std::uint32_t>(
        std::find_if(blocks.begin(), blocks.end(),
                     [name](const core::DrawnBlock &block) { return block.name == name; })
        - blocks.begin());
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

/// One that was set just before was lost when its project was opened anew, and ended the what-if of
/// another project.
void TestCompareView::aSettingIsAskedOfItsOwnProject()
{
    const core::Strategy first { { "bucket_cap_mb", 5.0 } }, second { { "bucket_cap_mb", 7.0 } };
    Session session;
    const CompareView view(session, nullptr);
    openAnalysed(session);
    auto &panel = *view.findChild<WhatIfPanel *>();
    panel.setStrategy(first);
    emit panel.strategyChanged();
    session.reopen();
    QVERIFY(session.strategy() == first);
    QVERIFY(panel.strategy() == first);
    panel.setStrategy(second);
    emit panel.strategyChanged();
    const QString other = m_folder.filePath(QStringLiteral("other.longpole"));
    QVERIFY(QFile::copy(m_project, other));
    session.openProject(other);
    QVERIFY(session.strategy().isEmpty() && panel.strategy().isEmpty());
    QVERIFY(!session.isRunning(QStringLiteral("predict")));
    session.predict(first);
    QTRY_VERIFY_WITH_TIMEOUT(session.prediction() != nullptr && session.isIdle(), 60'000);
    QVERIFY(session.prediction()->strategy == first);
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

void TestCompareView::graphsAreMovedAndOpenedTogether()
{
    ComparedGraphs graphs(m_project);
    QVERIFY(graphs.isDrawn());
    // The longer one sets what both show.
    QCOMPARE(graphs.below().from(), 0.0);
    QCOMPARE(graphs.above().to(), graphs.below().to());
    QVERIFY(graphs.below().to() >= graphs.above().drawing()->width - 1);
    graphs.below().zoomBy(4);
    QCOMPARE(graphs.above().from(), graphs.below().from());
    QCOMPARE(graphs.above().to(), graphs.below().to());
    QTest::keyClick(&graphs.above(), Qt::Key_D);
    QCOMPARE(graphs.above().from(), graphs.below().from());
    graphs.above().choose(blockNamed(graphs.above(), "backward"));
    QVERIFY(graphs.below().selected());
    QCOMPARE(graphs.below().drawing()->blocks[*graphs.below().selected()].name,
             std::string("backward"));
    const std::size_t closedAbove = graphs.above().drawing()->blocks.size();
    const std::size_t closedBelow = graphs.below().drawing()->blocks.size();
    QTest::keyClick(&graphs.above(), Qt::Key_Return);
    QVERIFY(graphs.awaitDrawn());
    QVERIFY(graphs.above().drawing()->blocks.size() > closedAbove);
    QVERIFY(graphs.below().drawing()->blocks.size() > closedBelow);
    QTest::keyClick(&graphs.below(), Qt::Key_Return);
    QVERIFY(graphs.awaitDrawn());
    QCOMPARE(graphs.above().drawing()->blocks.size(), closedAbove);
    QCOMPARE(graphs.below().drawing()->blocks.size(), closedBelow);
}

void TestCompareView::whatDiffersIsMarkedInBothGraphs()
{
    ComparedGraphs graphs(m_project);
    QVERIFY(graphs.isDrawn());
    const auto has = [](const GraphCanvas &canvas, core::BlockChange change) {
        const auto &changes = canvas.difference()->changes;
        return std::find(changes.begin(), changes.end(), change) != changes.end();
    };
    QVERIFY(graphs.above().difference() != nullptr && graphs.below().difference() != nullptr);
    QVERIFY(has(graphs.above(), core::BlockChange::Removed));
    QVERIFY(!has(graphs.above(), core::BlockChange::Added));
    QVERIFY(has(graphs.below(), core::BlockChange::Added));
    QVERIFY(has(graphs.below(), core::BlockChange::Moved));
    const QString legend = graphs.view().findChild<GraphLegend *>()->accessibleName();
    for (const char *mark : { "added", "moved", "where it was", "removed" })
        QVERIFY2(legend.contains(QLatin1String(mark)), qPrintable(legend));
    graphs.session().clearPrediction();
    QTRY_VERIFY(graphs.below().drawing() == nullptr);
    QVERIFY(graphs.above().difference() == nullptr);
}

void TestCompareView::theSelectedOpIsShownInTheGraph()
{
    ComparedGraphs graphs(m_project);
    QVERIFY(graphs.isDrawn());
    std::vector<GraphSubject> asked;
    connect(&graphs.session(), &Session::graphRevealRequested, this,
            [&asked](const GraphSubject &subject) { asked.push_back(subject); });
    graphs.below().choose(blockNamed(graphs.below(), "forward"));
    QTest::keyClick(&graphs.below(), Qt::Key_G);
    QCOMPARE(asked.size(), std::size_t(1));
    QVERIFY(asked[0].isWhatIf && asked[0].op);
    const core::Graph &predicted = *graphs.session().prediction()->graph;
    QVERIFY(predicted.phase[asked[0].op->value] == core::Phase::Forward);
    QTest::keyClick(&graphs.below(), Qt::Key_G, Qt::ShiftModifier); // timelines again
    const auto timelines = graphs.view().findChildren<TimelineWidget *>();
    for (TimelineWidget *timeline : timelines)
        emit timeline->sliceSelected(7);
    for (QAction *action : graphs.view().actions())
        if (action->shortcut() == QKeySequence(Qt::Key_G))
            action->trigger();
    QCOMPARE(asked.size(), std::size_t(2));
    // The one that was selected last.
    const bool isLastPredicted
        = timelines.back()->accessibleName() == QLatin1String("Predicted timeline");
    QCOMPARE(asked[1].isWhatIf, isLastPredicted);
    QCOMPARE(asked[1].op.has_value(), isLastPredicted);
    QCOMPARE(asked[1].slice == core::SliceId(7), !isLastPredicted);
}

/// At 900 x 600 two or three rows of each timeline were seen.
/// The table of scenarios left two rows a timeline and no legend.
void TestCompareView::scenariosLeaveRoomForTheLegend()
{
    Session session;
    CompareView view(session, nullptr);
    openAnalysed(session);
    view.resize(1280, 700);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.enterScreenshotState(QStringLiteral("scenarios"));
    QCoreApplication::processEvents();
    QVERIFY(view.findChild<ScenarioTable *>()->isVisible());
    QVERIFY(view.findChild<BarLegend *>()->isVisible());
    QVERIFY(!view.findChild<ResultHeader *>()->isVisible()); // the table has its figures
    view.enterScreenshotState({});
    QVERIFY(view.findChild<ResultHeader *>()->isVisible());
}

/// Ctrl+B hid one of the two columns.
void TestCompareView::bothTimelinesHideTheirNames()
{
    Session session;
    const CompareView view(session, nullptr);
    const auto timelines = view.findChildren<TimelineWidget *>();
    const auto isShown = [](const TimelineWidget *timeline) {
        return !timeline->findChild<TimelineTrackColumn *>()->isHidden();
    };
    QVERIFY(isShown(timelines[0]) && isShown(timelines[1]));
    timelines[1]->toggleTrackColumn();
    QVERIFY(!isShown(timelines[0]) && !isShown(timelines[1]));
    timelines[0]->toggleTrackColumn();
    QVERIFY(isShown(timelines[0]) && isShown(timelines[1]));
}

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
