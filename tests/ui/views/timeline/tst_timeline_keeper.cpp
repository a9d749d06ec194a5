#include "core/pipeline/pipeline.h"
#include "core/project/kept_values.h"
#include "ui/session/project_copy.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/timeline/kept_arrangement.h"
#include "ui/views/timeline/timeline_keeper.h"
#include "ui/views/timeline/timeline_view.h"

#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <vector>

using namespace ui;

namespace {

KeptTimeline someKept()
{
    KeptTimeline kept;
    kept.edits.marks = { { 5, 1'790'000'000'000'000'001 }, { 7, 8 } };
    kept.edits.notes = { { -3, QStringLiteral("early") }, { 12, QStringLiteral("\u00e9 \"x\"") } };
    kept.edits.bookmarks = { { 1, { { 1, 2 }, 40 } }, { 9, { { 3, 400 }, 0 } } };
    kept.place = TimelinePlace { { 100, 900 }, 17, { 0, 3 }, {}, { 4 } };
    const QString rank = QStringLiteral("rank 1");
    kept.place->arrangement
        = { .order = GroupOrder::Lateness,
            .filters = { { TrackField::Group, QStringLiteral("rank 1 \u00b7 h") },
                         { TrackField::Kind, QStringLiteral("stream") },
                         { TrackField::Name, QStringLiteral("x") } },
            .pinnedTracks = { { rank, {}, QStringLiteral("main") } },
            .pinned = { rank },
            .hidden = { QStringLiteral("rank 0") },
            .gatheredBy = QStringLiteral("host") };
    kept.place->isOverview = true;
    return kept;
}

} // namespace

/// On the sample of two ranks.
class TestTimelineKeeper : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void whatIsKeptIsReadAsItWasWritten();
    void damagedTextLosesOnlyWhatIsDamaged();
    void reopeningShowsMarksNotesBookmarksAndThePlace();
    void reopeningShowsTheArrangementWithItsFolds();
    void namesOfRanksThatHaveGotAHostAreFound();
    void marksNotesAndBookmarksAreUndone();
    void aCopyHasWhatWasNotYetWritten();
    void pinsFiltersHiddenRanksAndOrderAreUndone();
    void aNoteIsWrittenOnTheRuler();
    void whereNothingCanBeWrittenItIsToldOnce();

private:
    QString copyOfProject(const QString &name) const;

    QTemporaryDir m_folder;
    QString m_project;
};

void TestTimelineKeeper::initTestCase()
{
    const std::filesystem::path sample
        = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";
    m_project = m_folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ sample }, m_project.toStdString(), {}, {});
}

QString TestTimelineKeeper::copyOfProject(const QString &name) const
{
    const QString copy = m_folder.filePath(name);
    QFile::copy(m_project, copy);
    return copy;
}

void TestTimelineKeeper::whatIsKeptIsReadAsItWasWritten()
{
    QVERIFY(keptTimelineOf(keptTimelineText(someKept())) == someKept());
    QVERIFY(keptTimelineOf(keptTimelineText({})) == KeptTimeline());
}

void TestTimelineKeeper::damagedTextLosesOnlyWhatIsDamaged()
{
    QVERIFY(keptTimelineOf(QStringLiteral("no JSON")) == KeptTimeline());
    const KeptTimeline kept = keptTimelineOf(QStringLiteral(
        R"({"marks":[{"start_ns":9,"end_ns":3},7,{"start_ns":1,"end_ns":3}],"notes":{},)"
        R"("bookmarks":{"2":{"start_ns":1,"end_ns":5},"12":{"start_ns":1,"end_ns":5}}})"));
    QCOMPARE(kept.edits.marks.size(), std::size_t(1));
    QVERIFY((kept.edits.marks.front() == core::TimeRange { 1, 3 }));
    QVERIFY(kept.edits.notes.empty());
    QCOMPARE(kept.edits.bookmarks.size(), std::size_t(1));
    QVERIFY((kept.edits.bookmarks.at(2).range == core::TimeRange { 1, 5 }));
}

void TestTimelineKeeper::reopeningShowsMarksNotesBookmarksAndThePlace()
{
    const QString project = copyOfProject(QStringLiteral("reopened.longpole"));
    core::TimeRange mark, visible;
    {
        Session session;
        TimelineView view(session, nullptr);
        view.resize(1000, 600);
        session.openProject(project);
        TimelineState &state = view.findChild<TimelineWidget *>()->state();
        auto &keeper = *view.findChild<TimelineKeeper *>();
        const core::TimeRange all = state.source()->range();
        mark = { all.startNs + 1000, all.startNs + 2000 };
        state.keepMark(mark);
        keeper.setNote(all.startNs + 500, QStringLiteral("  slow  here "));
        state.setVisible({ all.startNs, all.startNs + all.durationNs() / 4 });
        visible = state.visible();
        keeper.setBookmark(3);
        state.toggleFold(state.layout().rows.front());
        QTRY_VERIFY(!keeper.isSaving());
    }
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 600);
    session.openProject(project);
    TimelineState &state = view.findChild<TimelineWidget *>()->state();
    auto &keeper = *view.findChild<TimelineKeeper *>();
    QVERIFY(state.keptMarks() == std::vector { mark });
    QCOMPARE(state.flags().size(), std::size_t(1));
    QCOMPARE(state.flags().front().text, QStringLiteral("slow here"));
    QVERIFY(std::abs(state.visible().endNs - visible.endNs) < visible.durationNs() / 100);
    QVERIFY(state.layout().rows.front().isFolded);
    QVERIFY(!session.history().stack().canUndo());
    QVERIFY(!keeper.isSaving()); // nothing is written that nobody changed
    state.setVisible(state.limits());
    QVERIFY(!keeper.goToBookmark(4));
    QVERIFY(keeper.goToBookmark(3));
    QVERIFY(std::abs(state.visible().endNs - visible.endNs) < visible.durationNs() / 100);
}

void TestTimelineKeeper::reopeningShowsTheArrangementWithItsFolds()
{
    const QString project = copyOfProject(QStringLiteral("arranged.longpole"));
    TrackArrangement arrangement;
    FoldState folds;
    QStringList labels;
    const auto labelsOf = [](const TimelineState &state) {
        QStringList found;
        for (const TimelineRow &row : state.layout().rows)
            if (!row.isCounter)
                found.append(row.label);
        return found;
    };
    {
        Session session;
        TimelineView view(session, nullptr);
        view.resize(1000, 600);
        session.openProject(project);
        TimelineState &state = view.findChild<TimelineWidget *>()->state();
        const std::vector<TimelineTrack> &given = state.givenSource()->tracks();
        const auto second = std::ranges::find_if(
            given, [&](const TimelineTrack &track) { return track.group != given[0].group; });
        QVERIFY(second != given.end());
        arrangement.order = GroupOrder::Name;
        arrangement.pinnedTracks = { nameOf(*second) }; // the one that its rank's fold is kept of
        arrangement.pinned = { second->group };
        state.setArrangement(arrangement);
        for (const TimelineRow &row : TimelineLayout(state.layout()).rows)
            if (row.kind == RowKind::Group && row.label == second->group)
                state.toggleFold(row);
        folds = state.givenFolds();
        QCOMPARE(folds.foldedGroups, std::set<std::size_t> { std::size_t(second - given.begin()) });
        labels = labelsOf(state);
        state.setRankOverview(true);
        QTRY_VERIFY(!view.findChild<TimelineKeeper *>()->isSaving());
    }
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 600);
    session.openProject(project);
    TimelineState &state = view.findChild<TimelineWidget *>()->state();
    QCOMPARE(state.arrangement(), arrangement);
    QVERIFY(state.isRankOverview());
    QVERIFY(!view.findChild<TimelineKeeper *>()->isSaving());
    state.setRankOverview(false);
    QCOMPARE(state.givenFolds(), folds);
    QCOMPARE(labelsOf(state), labels);
}

void TestTimelineKeeper::namesOfRanksThatHaveGotAHostAreFound()
{
    const QString before = QStringLiteral("rank 1"), now = QStringLiteral("rank 1 \u00b7 node7");
    const TrackArrangement kept { .pinnedTracks = { { before, {}, QStringLiteral("main") },
                                                    { before, {}, QStringLiteral("gone") } },
                                  .pinned = { before, QStringLiteral("rank 12") },
                                  .hidden = { QStringLiteral("rank 2") } };
    const TrackArrangement shown = withNamesOf(
        kept,
        { { .name = QStringLiteral("main"), .group = now, .subgroup = {} },
          { .name = QStringLiteral("main"), .group = QStringLiteral("rank 2"), .subgroup = {} } });
    QCOMPARE(shown.pinned, std::vector { now });
    QCOMPARE(shown.hidden, std::vector { QStringLiteral("rank 2") });
    QVERIFY((shown.pinnedTracks == std::vector { TrackName { now, {}, QStringLiteral("main") } }));
}

void TestTimelineKeeper::marksNotesAndBookmarksAreUndone()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 600);
    session.openProject(copyOfProject(QStringLiteral("undone.longpole")));
    TimelineState &state = view.findChild<TimelineWidget *>()->state();
    auto &keeper = *view.findChild<TimelineKeeper *>();
    const std::int64_t from = state.source()->range().startNs;
    state.keepMark({ from, from + 10 });
    keeper.setNote(from + 5, QStringLiteral("a"));
    keeper.setBookmark(1);
    QVERIFY(keeper.removeMarksAt(from + 3));
    QVERIFY(!keeper.removeMarksAt(from + 3));
    QCOMPARE(session.history().stack().count(), 4);
    QVERIFY(state.keptMarks().empty());
    session.history().stack().undo();
    QCOMPARE(state.keptMarks().size(), std::size_t(1));
    session.history().stack().undo();
    QVERIFY(keeper.edits().bookmarks.empty());
    session.history().stack().undo();
    QVERIFY(state.flags().empty());
    session.history().stack().undo();
    QVERIFY(state.keptMarks().empty());
    while (session.history().stack().canRedo())
        session.history().stack().redo();
    QCOMPARE(state.flags().size(), std::size_t(1));
    QCOMPARE(keeper.edits().bookmarks.size(), std::size_t(1));
}

/// Save as copied what was written, and began a new history.
void TestTimelineKeeper::aCopyHasWhatWasNotYetWritten()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 600);
    session.openProject(copyOfProject(QStringLiteral("before_copy.longpole")));
    auto &keeper = *view.findChild<TimelineKeeper *>();
    TimelineState &state = view.findChild<TimelineWidget *>()->state();
    const core::TimeRange all = state.source()->range();
    const core::TimeRange seen { all.startNs + all.durationNs() / 4,
                                 all.startNs + all.durationNs() / 2 };
    state.setVisible(seen);
    keeper.setNote(all.startNs + 5, QStringLiteral("before"));
    QSignalSpy opened(&session.copy(), &ProjectCopy::opened);
    const QString target = m_folder.filePath(QStringLiteral("copied.longpole"));
    session.copy().start(target);
    keeper.setNote(all.startNs + 9, QStringLiteral("meanwhile"));
    QVERIFY(opened.wait(60'000));
    QTRY_VERIFY(!keeper.isSaving());
    for (const QString &project :
         { m_folder.filePath(QStringLiteral("before_copy.longpole")), target }) {
        const auto kept = core::keptValue(project.toStdString(), "timeline");
        QVERIFY(kept.has_value());
        QCOMPARE(keptTimelineOf(QString::fromStdString(*kept)).edits.notes.size(), std::size_t(2));
    }
    QCOMPARE(state.visible().startNs, seen.startNs);
    QCOMPARE(state.visible().endNs, seen.endNs);
    session.history().stack().undo();
    QCOMPARE(keeper.edits().notes.size(), std::size_t(1));
    QTRY_VERIFY(!keeper.isSaving());
    const auto kept = core::keptValue(target.toStdString(), "timeline");
    QCOMPARE(keptTimelineOf(QString::fromStdString(*kept)).edits.notes.size(), std::size_t(1));
}

void TestTimelineKeeper::pinsFiltersHiddenRanksAndOrderAreUndone()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 600);
    session.openProject(copyOfProject(QStringLiteral("arranged_undone.longpole")));
    TimelineState &state = view.findChild<TimelineWidget *>()->state();
    QUndoStack &stack = session.history().stack();
    QCOMPARE(stack.count(), 0);
    std::vector<TrackArrangement> seen { state.arrangement() };
    const auto arrange = [&](const std::function<void(TrackArrangement &)> &change) {
        TrackArrangement next = state.arrangement();
        change(next);
        state.setArrangement(next);
        seen.push_back(next);
    };
    const QString group = state.givenSource()->tracks().front().group;
    arrange([&](TrackArrangement &a) { a.filters = { { TrackField::Name, QString(u'a') } }; });
    arrange([&](TrackArrangement &a) { a.hidden = { group }; });
    arrange([&](TrackArrangement &a) { a.pinned = { group }; });
    QCOMPARE(stack.undoText(), QStringLiteral("Pins"));
    arrange([](TrackArrangement &a) { a.order = GroupOrder::Name; });
    arrange([](TrackArrangement &a) { a.order = GroupOrder::Wait; });
    QCOMPARE(stack.count(), 4); // orders that are tried are one step
    seen.erase(seen.end() - 2);
    for (std::size_t i = seen.size() - 1; i > 0; --i) {
        QVERIFY(state.arrangement() == seen[i]);
        stack.undo();
    }
    QVERIFY(state.arrangement() == seen.front() && !stack.canUndo());
    while (stack.canRedo())
        stack.redo();
    QVERIFY(state.arrangement() == seen.back());
    QTRY_VERIFY(!view.findChild<TimelineKeeper *>()->isSaving());
    session.reopen();
    QVERIFY(state.arrangement() == seen.back());
    QCOMPARE(stack.count(), 4);
}

/// N, the text, Enter; N at the same place edits it, and an empty text removes it.
void TestTimelineKeeper::aNoteIsWrittenOnTheRuler()
{
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 600);
    session.openProject(copyOfProject(QStringLiteral("note.longpole")));
    view.show();
    QVERIFY(QTest::qWaitForWindowActive(&view));
    auto *timeline = view.findChild<TimelineWidget *>();
    timeline->setFocus();
    QTest::keyClick(timeline, Qt::Key_N);
    auto *edit = qobject_cast<QLineEdit *>(view.focusWidget());
    QVERIFY(edit != nullptr);
    QTest::keyClicks(edit, QStringLiteral("why 3?"));
    QTest::keyClick(edit, Qt::Key_Return);
    QVERIFY(!edit->isVisible());
    QCOMPARE(timeline->state().flags().size(), std::size_t(1));
    QCOMPARE(timeline->state().flags().front().text, QStringLiteral("why 3?"));
    QTest::keyClick(timeline, Qt::Key_N);
    QCOMPARE(edit->text(), QStringLiteral("why 3?"));
    QTest::keyClick(edit, Qt::Key_Escape);
    QCOMPARE(timeline->state().flags().size(), std::size_t(1));
    QTest::keyClick(timeline, Qt::Key_N);
    edit->clear();
    QTest::keyClick(edit, Qt::Key_Return);
    QVERIFY(timeline->state().flags().empty());
}

void TestTimelineKeeper::whereNothingCanBeWrittenItIsToldOnce()
{
    const QString project = copyOfProject(QStringLiteral("gone.longpole"));
    Session session;
    TimelineView view(session, nullptr);
    view.resize(1000, 600);
    session.openProject(project);
    auto &keeper = *view.findChild<TimelineKeeper *>();
    const QSignalSpy told(&session, &Session::cannotKeep);
    QVERIFY(QFile::remove(project));
    keeper.setBookmark(1);
    QTRY_COMPARE(told.count(), 1);
    keeper.setBookmark(2);
    QTRY_VERIFY(!keeper.isSaving());
    QCOMPARE(told.count(), 1);
    QCOMPARE(keeper.edits().bookmarks.size(), std::size_t(2));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTimelineKeeper)
#include "tst_timeline_keeper.moc"
