#include "core/pipeline/pipeline.h"
#include "ui/models/clock_words.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/theme/theme.h"
#include "ui/views/clocks/clock_editor.h"
#include "ui/views/clocks/clocks_model.h"
#include "ui/views/clocks/clocks_view.h"
#include "ui/views/clocks/offset_spin_box.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

constexpr int timeoutMs = 60'000;

template <class Widget>
Widget *withText(const QWidget &view, const QString &text)
{
    const auto all = view.findChildren<Widget *>();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Widget *one) { return one->text() == text; });
    return found == all.end() ? nullptr : *found;
}

} // namespace

/// On the sample of two ranks, whose clocks agree.
class TestClocksView : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void aDriftThatIsNotProvedIsNotCalledNone();
    void microsecondsAreExact_data();
    void microsecondsAreExact();
    void anOffsetIsSetUndoneAndRedone();
    void theSolvedOffsetIsUsedAgain();
    void twoChangesInARowBothCount();
    void theReferenceCannotBeSet();
    void whatIsNoNumberIsSaid();
    void anotherProjectHasNothingToUndo();
    void aProjectOfOneRankSaysSo();
    void theLargestUncertaintyIsSetBesideAnIteration();
    void moreRanksThanFitCoverNoColumn();
    void theSmallestWindowShowsEveryColumn();

private:
    const core::Alignment &clock() const { return m_session->reader().info().alignment.workers[1]; }
    QString text(int column) const
    {
        const QTableView *table = m_view->findChild<QTableView *>();
        return table->model()->index(1, column).data().toString();
    }
    OffsetSpinBox &box() const { return *m_view->findChild<OffsetSpinBox *>(); }
    void click(const QString &button) const { withText<QPushButton>(*m_view, button)->click(); }

    QTemporaryDir m_folder;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<ClocksView> m_view;
};

void TestClocksView::initTestCase()
{
    const std::filesystem::path sample
        = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";
    core::importBundle({ sample }, m_folder.filePath(QStringLiteral("p.longpole")).toStdString(),
                       {}, {});
}

void TestClocksView::init()
{
    const QString copy = m_folder.filePath(QStringLiteral("copy.longpole"));
    m_view.reset();
    m_session.reset();
    QFile::remove(copy);
    QVERIFY(QFile::copy(m_folder.filePath(QStringLiteral("p.longpole")), copy));
    m_session = std::make_unique<Session>();
    m_session->openProject(copy);
    m_view = std::make_unique<ClocksView>(*m_session, nullptr);
}

/// The cell was empty, which read as none.
void TestClocksView::aDriftThatIsNotProvedIsNotCalledNone()
{
    QCOMPARE(clock().driftPpm, 0.0);
    QVERIFY2(text(ClocksModel::DriftColumn).startsWith(QLatin1String("not known")),
             qPrintable(text(ClocksModel::DriftColumn)));
}

void TestClocksView::microsecondsAreExact_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("ns");
    QTest::newRow("0") << QStringLiteral("0.000") << qint64 { 0 };
    QTest::newRow("negative") << QStringLiteral("-3757.250") << qint64 { -3'757'250 };
    QTest::newRow("one ns less") << QStringLiteral("-0.001") << qint64 { -1 };
    QTest::newRow("years") << QStringLiteral("1700000000000000.001")
                           << qint64 { 1'700'000'000'000'000'001 };
}

void TestClocksView::microsecondsAreExact()
{
    QFETCH(const QString, text);
    QFETCH(const qint64, ns);
    QCOMPARE(microsecondsText(ns), text);
    OffsetSpinBox own(nullptr);
    own.setOffsetNs(ns);
    QCOMPARE(own.offsetNs(), std::optional<std::int64_t>(ns));
    own.stepBy(2);
    QCOMPARE(own.offsetNs(), std::optional<std::int64_t>(ns + 2000));
}

void TestClocksView::anOffsetIsSetUndoneAndRedone()
{
    const QAbstractItemModelTester tester(m_view->findChild<QTableView *>()->model());
    QCOMPARE(text(ClocksModel::StateColumn), QStringLiteral("as recorded"));
    QTRY_VERIFY_WITH_TIMEOUT(m_session->diagnosis() != nullptr, timeoutMs);
    const auto before = m_session->diagnosis();
    box().setOffsetNs(-3'757'000);
    click(QStringLiteral("Set the offset"));
    QTRY_COMPARE_WITH_TIMEOUT(clock().offsetNs, -3'757'000, timeoutMs);
    QCOMPARE(text(ClocksModel::StateColumn), QStringLiteral("set by hand"));
    // Results are those of the new clocks.
    QTRY_VERIFY_WITH_TIMEOUT(m_session->diagnosis() != nullptr && m_session->diagnosis() != before,
                             timeoutMs);
    QCOMPARE(m_session->trace()->toAligned(core::WorkerId(1), 0), -3'757'000);
    m_session->history().stack().undo();
    QTRY_COMPARE_WITH_TIMEOUT(clock().offsetNs, 0, timeoutMs);
    QCOMPARE(text(ClocksModel::StateColumn), QStringLiteral("as recorded"));
    m_session->history().stack().redo();
    QTRY_COMPARE_WITH_TIMEOUT(clock().offsetNs, -3'757'000, timeoutMs);
}

void TestClocksView::theSolvedOffsetIsUsedAgain()
{
    box().setOffsetNs(1000);
    click(QStringLiteral("Set the offset"));
    QTRY_COMPARE_WITH_TIMEOUT(clock().offsetNs, 1000, timeoutMs);
    click(QStringLiteral("Use the solved offset"));
    QTRY_VERIFY_WITH_TIMEOUT(m_session->reader().info().byHand.empty(), timeoutMs);
    QCOMPARE(clock().offsetNs, 0);
    QVERIFY(!withText<QPushButton>(*m_view, QStringLiteral("Use the solved offset"))->isEnabled());
}

void TestClocksView::twoChangesInARowBothCount()
{
    ClockEditor editor(*m_session, nullptr);
    editor.choose(1, 1000);
    editor.choose(1, 2000); // replaces the job that is running
    QTRY_COMPARE_WITH_TIMEOUT(clock().offsetNs, 2000, timeoutMs);
    m_session->history().stack().undo();
    QTRY_COMPARE_WITH_TIMEOUT(clock().offsetNs, 1000, timeoutMs);
    m_session->history().stack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(m_session->reader().info().byHand.empty(), timeoutMs);
    QVERIFY(!m_session->history().stack().canUndo());
}

void TestClocksView::theReferenceCannotBeSet()
{
    m_view->findChild<QTableView *>()->selectRow(0);
    QVERIFY(!box().isEnabled());
    QVERIFY(!withText<QPushButton>(*m_view, QStringLiteral("Set the offset"))->isEnabled());
    ClockEditor editor(*m_session, nullptr);
    QSignalSpy failed(&editor, &ClockEditor::failed);
    editor.choose(0, 1000);
    QVERIFY(failed.wait(timeoutMs));
    QVERIFY(!m_session->history().stack().canUndo());
}

void TestClocksView::whatIsNoNumberIsSaid()
{
    QTest::keyClicks(&box(), QStringLiteral("five"));
    click(QStringLiteral("Set the offset"));
    QVERIFY(withText<QLabel>(
        *m_view, QStringLiteral("This is no number of microseconds, such as -3757.250.")));
}

void TestClocksView::anotherProjectHasNothingToUndo()
{
    box().setOffsetNs(1000);
    click(QStringLiteral("Set the offset"));
    QTRY_COMPARE_WITH_TIMEOUT(clock().offsetNs, 1000, timeoutMs);
    QVERIFY(m_session->history().stack().canUndo());
    m_session->openProject(m_folder.filePath(QStringLiteral("p.longpole")));
    QVERIFY(!m_session->history().stack().canUndo());
}

/// The page was empty.
void TestClocksView::aProjectOfOneRankSaysSo()
{
    const QString project = m_folder.filePath(QStringLiteral("one.longpole"));
    core::importBundle(
        { LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25/rank0.pt.trace.json.gz" },
        project.toStdString(), {}, {});
    m_session->openProject(project);
    const auto *title = withText<QLabel>(*m_view, QStringLiteral("One rank"));
    QVERIFY(title != nullptr && title->isVisibleTo(m_view.get()));
    QVERIFY(!box().isVisibleTo(m_view.get()));
}

void TestClocksView::theLargestUncertaintyIsSetBesideAnIteration()
{
    const core::ProjectInfo &info = m_session->reader().info();
    const auto clocks = core::clockUncertainty(info.alignment, info.tracks, info.iterations);
    QVERIFY(clocks && clocks->iterationNs > 0);
    QVERIFY(withText<QLabel>(*m_view, clockUncertaintySentence(*clocks)) != nullptr);
}

/// The scroll bar took its room from the last column, for which there was another one.
void TestClocksView::moreRanksThanFitCoverNoColumn()
{
    m_view->resize(1600, 600);
    m_view->show();
    auto *table = m_view->findChild<QTableView *>();
    table->setFixedHeight(table->horizontalHeader()->height() + table->rowHeight(0));
    QTRY_VERIFY_WITH_TIMEOUT(table->verticalScrollBar()->maximum() > 0, timeoutMs);
    QTRY_COMPARE_WITH_TIMEOUT(table->horizontalScrollBar()->maximum(), 0, timeoutMs);
}

/// The last had to be scrolled to, for some twenty pixels.
void TestClocksView::theSmallestWindowShowsEveryColumn()
{
    applyTheme(*qApp, ThemeChoice::Light);
    m_view->resize(900, 500);
    m_view->show();
    auto *table = m_view->findChild<QTableView *>();
    QTRY_COMPARE_WITH_TIMEOUT(m_view->width(), 900, timeoutMs);
    QTRY_COMPARE_WITH_TIMEOUT(table->horizontalScrollBar()->maximum(), 0, timeoutMs);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestClocksView)
#include "tst_clocks_view.moc"
