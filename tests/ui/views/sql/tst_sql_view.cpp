#include "core/pipeline/collective_times.h"
#include "core/pipeline/pipeline.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/views/sql/query_editor.h"
#include "ui/views/sql/query_history.h"
#include "ui/views/sql/schema_tree.h"
#include "ui/views/sql/sql_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

constexpr int timeoutMs = 60'000;

} // namespace

/// On the sample of two ranks.
class TestSqlView : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void theTablesAreListedWithTheirColumns();
    void aChosenNameComesIntoTheStatement();
    void ctrlEnterShowsTheRows();
    void aWrongStatementSaysWhy();
    void aRowLeadsToTheTimeline();
    void rowsBecomeMarks();
    void collectivesHaveTheWaitsOfTheAnalysis();
    void anotherProjectHasNoRows();

private:
    void runs(const QString &sql)
    {
        m_view->findChild<QueryEditor *>()->setPlainText(sql);
        QTest::keyClick(m_view->findChild<QueryEditor *>(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_view->isReadyForScreenshot(), timeoutMs);
    }
    QAbstractItemModel &rows() const { return *m_view->findChild<QTableView *>()->model(); }
    QPushButton &button(const QString &text) const
    {
        for (QPushButton *one : m_view->findChildren<QPushButton *>())
            if (one->text() == text)
                return *one;
        qFatal("no button %s", qPrintable(text));
    }
    bool says(const QString &text) const
    {
        const auto labels = m_view->findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel *label) { return label->text().contains(text); });
    }

    QTemporaryDir m_folder;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<SqlView> m_view;
};

void TestSqlView::initTestCase()
{
    const std::filesystem::path sample
        = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";
    core::importBundle({ sample }, m_folder.filePath(QStringLiteral("p.longpole")).toStdString(),
                       {}, {});
}

void TestSqlView::init()
{
    QueryHistory().clear();
    m_view.reset();
    m_session = std::make_unique<Session>();
    m_session->openProject(m_folder.filePath(QStringLiteral("p.longpole")));
    m_view = std::make_unique<SqlView>(*m_session, nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(m_view->isReadyForScreenshot(), timeoutMs);
}

void TestSqlView::theTablesAreListedWithTheirColumns()
{
    const auto *tree = m_view->findChild<SchemaTree *>();
    QCOMPARE(tree->topLevelItemCount(), 10); // nine for queries, and what is stored
    QCOMPARE(tree->topLevelItem(0)->text(0), QStringLiteral("slice"));
    QCOMPARE(tree->topLevelItem(0)->child(0)->text(0), QStringLiteral("id"));
    QCOMPARE(tree->topLevelItem(0)->child(0)->text(1), QStringLiteral("integer"));
    const QTreeWidgetItem *stored = tree->topLevelItem(9);
    QVERIFY(stored->childCount() > 10);
    QVERIFY(!stored->isExpanded());
}

void TestSqlView::aChosenNameComesIntoTheStatement()
{
    auto *tree = m_view->findChild<SchemaTree *>();
    emit tree->itemActivated(tree->topLevelItem(0)->child(4), 0);
    emit tree->itemActivated(tree->topLevelItem(9), 0); // no table
    QCOMPARE(m_view->findChild<QueryEditor *>()->toPlainText(), QStringLiteral("name"));
}

void TestSqlView::ctrlEnterShowsTheRows()
{
    runs(QStringLiteral("SELECT 3 AS n UNION SELECT 12 ORDER BY n"));
    QCOMPARE(rows().rowCount(), 2);
    QVERIFY(says(QStringLiteral("2 rows")));
    m_view->findChild<QTableView *>()->sortByColumn(0, Qt::DescendingOrder);
    QCOMPARE(rows().index(0, 0).data().toString(), QStringLiteral("12")); // as a number
    button(QStringLiteral("Copy as CSV")).click();
    QCOMPARE(QGuiApplication::clipboard()->text().simplified(),
             QStringLiteral("n 12 3")); // as shown
    QCOMPARE(QueryHistory().queries().size(), 1);
}

void TestSqlView::aWrongStatementSaysWhy()
{
    runs(QStringLiteral("SELECT 1"));
    runs(QStringLiteral("SELECT nosuch FROM slice"));
    QCOMPARE(rows().rowCount(), 0);
    QVERIFY(says(QStringLiteral("nosuch")));
    QVERIFY(!button(QStringLiteral("Copy as CSV")).isEnabled());
    runs(QStringLiteral("DELETE FROM strategy"));
    QVERIFY(!says(QStringLiteral("row"))); // refused: it only reads
}

void TestSqlView::aRowLeadsToTheTimeline()
{
    const QSignalSpy revealed(m_session.get(), &Session::revealRequested);
    runs(QStringLiteral("SELECT 1 AS one"));
    auto *table = m_view->findChild<QTableView *>();
    table->setCurrentIndex(rows().index(0, 0));
    QVERIFY(!button(QStringLiteral("Show in the timeline")).isEnabled());
    runs(QStringLiteral("SELECT slice, start_ns, dur_ns FROM collective LIMIT 1"));
    table->setCurrentIndex(rows().index(0, 0));
    button(QStringLiteral("Show in the timeline")).click();
    QCOMPARE(revealed.size(), 1);
    QCOMPARE(revealed.front()[0].value<core::SliceId>().value,
             rows().index(0, 0).data().toULongLong());
}

void TestSqlView::rowsBecomeMarks()
{
    const QSignalSpy marked(m_session.get(), &Session::marksRequested);
    connect(m_session.get(), &Session::marksRequested, m_view.get(), // as the timeline does
            [this] { m_session->countAddedMarks(500); });
    auto &mark = button(QStringLiteral("Mark in the timeline"));
    runs(QStringLiteral("SELECT 1 AS one"));
    QVERIFY(!mark.isEnabled());
    runs(QStringLiteral("WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE "
                        "n < 1200) SELECT n * 10 AS start_ns, n % 2 AS dur_ns FROM c"));
    mark.click();
    QCOMPARE(marked.size(), 1);
    const auto ranges = marked.front()[0].value<std::vector<core::TimeRange>>();
    QCOMPARE(ranges.size(), std::size_t(600)); // every other has no duration
    QVERIFY(ranges.front() == (core::TimeRange { 10, 11 }));
    QVERIFY(says(QStringLiteral("201 rows: 500 marked, 100 were already")));
    emit m_session->history().stack().indexChanged(0); // an undo
    QVERIFY(says(QStringLiteral("201 rows in ")));
    runs(QStringLiteral("WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE "
                        "n < 1200) SELECT n * 10 AS start_ns, 5 AS dur_ns FROM c"));
    mark.click();
    QCOMPARE(marked.at(1)[0].value<std::vector<core::TimeRange>>().size(),
             Session::MostMarkedRanges);
}

void TestSqlView::collectivesHaveTheWaitsOfTheAnalysis()
{
    qint64 parts = 0, waitNs = 0, transferNs = 0;
    const core::LoadedProject loaded = core::loadProject(m_session->reader().path(), {});
    for (const core::CollectiveReport &collective : core::collectivesOf(loaded, {}))
        for (const core::CollectiveRankReport &part : collective.ranks) {
            ++parts;
            waitNs += part.waitNs;
            transferNs += part.transferNs;
        }
    QVERIFY(parts > 0);
    QVERIFY(waitNs > 0);
    runs(QStringLiteral("SELECT count(wait_ns), sum(wait_ns), sum(transfer_ns), "
                        "sum(wait_ns + transfer_ns - dur_ns) FROM collective"));
    const std::vector<qint64> expected { parts, waitNs, transferNs, 0 };
    for (int column = 0; column < 4; ++column)
        QCOMPARE(rows().index(0, column).data().toLongLong(),
                 expected[static_cast<std::size_t>(column)]);
    // As the examples do it; a row has what names its place.
    runs(QStringLiteral("SELECT a.wait_ns, b.rank FROM collective a JOIN collective b USING "
                        "(matched_group, matched_sequence, kind) WHERE b.rank = a.last_rank "
                        "AND a.rank <> b.rank ORDER BY a.wait_ns DESC LIMIT 10"));
    QCOMPARE(rows().rowCount(), 10);
    const auto *tree = m_view->findChild<SchemaTree *>();
    QCOMPARE(tree->findItems(QStringLiteral("last_rank"), Qt::MatchRecursive).size(), 1);
}

void TestSqlView::anotherProjectHasNoRows()
{
    runs(QStringLiteral("SELECT 1"));
    m_session->closeProject();
    QCOMPARE(rows().rowCount(), 0);
    QVERIFY(!button(QStringLiteral("Copy as CSV")).isEnabled());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSqlView)
#include "tst_sql_view.moc"
