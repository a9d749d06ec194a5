#include "core/pipeline/pipeline.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/timeline/details_panel.h"
#include "ui/views/timeline/search_hits_model.h"
#include "ui/views/timeline/search_panel.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/widgets/pick_list.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace ui;

/// On the sample of two ranks.
class TestTimelineView : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void theTimelineIsThereBeforeTheDiagnosis();
    void aPictureThatWaitsForTheAnalysisKeepsItsState();
    void aTrackIsFoundByItsName();
    void theDetailsGiveWayInASmallerWindow();
    void foundSlicesAreListedAndBecomeMarks();
    void qHidesAndShowsTheDetails();

private:
    QTemporaryDir m_folder;
    QString m_project;
};

void TestTimelineView::initTestCase()
{
    const std::filesystem::path sample
        = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";
    m_project = m_folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ sample }, m_project.toStdString(), {}, {});
}

/// What is recorded is drawn as soon as the project is open; nothing of it needs the analysis.
void TestTimelineView::theTimelineIsThereBeforeTheDiagnosis()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 600);
    session.openProject(m_project);
    const auto &timeline = *view.findChild<TimelineWidget *>();
    const TimelineState &state = timeline.state();
    // No event has been handled since: no job can have delivered.
    QVERIFY(session.trace() == nullptr && session.diagnosis() == nullptr);
    QVERIFY(state.source() != nullptr);
    QVERIFY(!state.iterations().empty());
    const TimelineSource &source = *state.source();
    std::size_t boxes = 0;
    for (std::size_t track = 0; track < source.tracks().size(); ++track)
        boxes += source.boxes(track, source.range(), state.axis().resolutionNs()).size();
    QVERIFY(boxes > 0);
    QVERIFY(session.diagnosis() == nullptr);
}

/// A picture of an area, or of the critical path, had neither where it was asked for early.
void TestTimelineView::aPictureThatWaitsForTheAnalysisKeepsItsState()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 600);
    const TimelineState &state = view.findChild<TimelineWidget *>()->state();
    bool isEntered = false;
    // After the view's own: what it marks is still being looked for then.
    connect(&session, &Session::analysisChanged, this, [&] {
        if (session.diagnosis() == nullptr || isEntered)
            return;
        isEntered = true;
        view.enterScreenshotState(QStringLiteral("area"));
        QVERIFY(!view.isReadyForScreenshot());
    });
    session.openProject(m_project);
    constexpr int PatienceMs = 60'000;
    QTRY_VERIFY_WITH_TIMEOUT(isEntered && view.isReadyForScreenshot(), PatienceMs);
    QVERIFY(state.area().has_value());
}

void TestTimelineView::aTrackIsFoundByItsName()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 200);
    view.show();
    session.openProject(m_project);
    const TimelineState &state = view.findChild<TimelineWidget *>()->state();
    const auto &tracks = state.source()->tracks();
    const QList<QAction *> actions = view.actions();
    const auto action = std::find_if(actions.begin(), actions.end(), [](const QAction *one) {
        return one->shortcut() == QKeySequence(QStringLiteral("Ctrl+P"));
    });
    QVERIFY(action != actions.end());
    (*action)->trigger();
    auto *list = view.findChild<PickList *>();
    QVERIFY(list != nullptr);
    QTest::keyClicks(list->findChild<QLineEdit *>(),
                     tracks.back().group + tracks.back().subgroup + tracks.back().name);
    QCOMPARE(state.scrollY(), 0);
    QTest::keyClick(list->findChild<QLineEdit *>(), Qt::Key_Return);
    const TimelineRow &row = rowOfTrack(state.layout(), tracks.size() - 1);
    QVERIFY(state.scrollY() > 0);
    QVERIFY(row.y >= state.scrollY() && row.y < state.scrollY() + state.viewportHeight());
}

/// They kept the width that they had in the larger one, more than the slices had.
void TestTimelineView::theDetailsGiveWayInASmallerWindow()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1400, 600);
    view.show();
    const auto *details = view.findChild<DetailsPanel *>();
    QTRY_COMPARE(details->width(), 330);
    view.resize(900, 600);
    QTRY_COMPARE(details->width(), details->minimumWidth());
    QVERIFY(details->minimumWidth() < 300);
    view.resize(1400, 600);
    QTRY_COMPARE(details->width(), 330);
    // A width that the user has chosen stays.
    auto *columns = qobject_cast<QSplitter *>(view.findChild<DetailsPanel *>()->parentWidget());
    QVERIFY(columns != nullptr);
    columns->setSizes({ 900, 500 });
    emit columns->splitterMoved(900, 1);
    view.resize(1300, 600);
    QTRY_VERIFY(details->width() > 400);
}

void TestTimelineView::foundSlicesAreListedAndBecomeMarks()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1200, 700);
    view.show();
    session.openProject(m_project);
    auto &timeline = *view.findChild<TimelineWidget *>();
    timeline.searchFor(QStringLiteral("/all.?reduce/ rank:1"));
    QTRY_VERIFY(!timeline.state().searchHits().empty());
    auto &panel = *view.findChild<SearchPanel *>();
    QVERIFY(panel.isHidden());
    emit timeline.searchListRequested();
    QVERIFY(panel.isVisible());
    const auto &table = *panel.findChild<QTableView *>();
    const std::size_t hits = timeline.state().searchHits().size();
    QCOMPARE(static_cast<std::size_t>(table.model()->rowCount()), hits);
    QCOMPARE(table.model()->index(0, SearchHitsModel::RankColumn).data().toString(),
             QStringLiteral("1"));
    emit panel.hitActivated(core::SliceId(timeline.state().searchHits().back().id));
    QVERIFY(session.selectedSlice().has_value());
    QCOMPARE(session.selectedSlice()->value, timeline.state().searchHits().back().id);
    QVERIFY(panel.isVisible());
    // All at once, and undone at once.
    emit panel.marksRequested({ { 10, 20 }, { 30, 30 }, { 40, 60 }, { 10, 20 } });
    QCOMPARE(timeline.state().keptMarks().size(), std::size_t(2));
    const auto says = [&panel](const QString &text) {
        const auto labels = panel.findChildren<QLabel *>();
        return std::ranges::any_of(
            labels, [&text](const QLabel *label) { return label->text().contains(text); });
    };
    QVERIFY(says(QStringLiteral("2 marked, 1 was already")));
    emit panel.marksRequested({ { 10, 20 }, { 40, 60 }, { 70, 80 } }); // it said 3
    QVERIFY(says(QStringLiteral("1 marked, 2 were already")));
    session.history().stack().undo();
    QVERIFY(!says(QStringLiteral("marked"))); // it stayed
    session.history().stack().undo();
    QVERIFY(timeline.state().keptMarks().empty());
    timeline.escape(); // the search, and its table
    QVERIFY(panel.isHidden());
}

void TestTimelineView::qHidesAndShowsTheDetails()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1200, 700);
    view.show();
    auto &timeline = *view.findChild<TimelineWidget *>();
    const auto &details = *view.findChild<DetailsPanel *>();
    QVERIFY(details.isVisible());
    emit timeline.detailsToggleRequested();
    QVERIFY(details.isHidden());
    emit timeline.detailsToggleRequested();
    QVERIFY(details.isVisible());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTimelineView)
#include "tst_timeline_view.moc"
