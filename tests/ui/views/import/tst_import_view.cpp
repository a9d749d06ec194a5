#include "ui/session/session.h"
#include "ui/views/import/import_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

constexpr int timeoutMs = 60'000;

QString sampleFile(const QString &name)
{
    return QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25/") + name;
}

QTableView *tableCalled(const QWidget &view, const QString &name)
{
    const auto tables = view.findChildren<QTableView *>();
    for (QTableView *table : tables) {
        if (table->accessibleName() == name)
            return table;
    }
    return nullptr;
}

bool hasLabel(const QWidget &view, const QString &part)
{
    const auto labels = view.findChildren<QLabel *>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel *label) {
        return label->isVisibleTo(&view) && label->text().contains(part);
    });
}

QAction *actionCalled(const QWidget &view, const QString &part)
{
    const auto actions = view.actions();
    const auto found = std::find_if(actions.begin(), actions.end(), [&](const QAction *action) {
        return action->text().contains(part);
    });
    return found == actions.end() ? nullptr : *found;
}

} // namespace

/// On a rank of the sample that is whole, one that was cut off, and a file that is no trace.
class TestImportView : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void showsTheWorstProblemAndItsPlaceInTheFile();
    void leadsToTheRankInTheTimeline();
    void copiesAllThatIsKnown();
    void copiesWhatIsMarked();
    void filtersByText();
    void aFileTellsWhatWasReadOfIt();
    void aRankTellsOfItsFilesAndLeadsToTheTimeline();
    void aFileThatIsGoneIsTold();
    void aProjectWithoutProblemsSaysSo();
    void withoutAProjectThereIsNothingToDo();

private:
    QString bundle(const QString &name) const { return m_folder.filePath(name); }
    void import(const QStringList &inputs, const QString &project);

    QTemporaryDir m_folder;
    Session m_session;
};

void TestImportView::import(const QStringList &inputs, const QString &project)
{
    QSignalSpy finished(&m_session, &Session::importFinished);
    m_session.importProject(inputs, project);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, timeoutMs);
}

void TestImportView::initTestCase()
{
    const QString whole = bundle(QStringLiteral("rank0.pt.trace.json.gz"));
    const QString cut = bundle(QStringLiteral("rank1.pt.trace.json.gz"));
    QVERIFY(QFile::copy(sampleFile(QStringLiteral("rank0.pt.trace.json.gz")), whole));
    QVERIFY(QFile::copy(sampleFile(QStringLiteral("rank1.pt.trace.json.gz")), cut));
    QFile file(cut);
    QVERIFY(file.resize(file.size() * 2 / 3));
    QFile notes(bundle(QStringLiteral("notes.txt")));
    QVERIFY(notes.open(QIODevice::WriteOnly) && notes.write("the slow run\n") > 0);
    notes.close();
    import({ m_folder.path() }, bundle(QStringLiteral("p.longpole")));
}

void TestImportView::showsTheWorstProblemAndItsPlaceInTheFile()
{
    ImportView view(m_session, nullptr);
    QVERIFY(hasLabel(view, QStringLiteral("2 files read, 1 of them cut off, 1 left out")));
    QVERIFY(tableCalled(view, QStringLiteral("Problems"))->model()->rowCount() >= 2);
    QCOMPARE(tableCalled(view, QStringLiteral("Files"))->model()->rowCount(), 3);
    QTRY_VERIFY_WITH_TIMEOUT(view.isReadyForScreenshot(), timeoutMs);
    const auto *bytes = view.findChild<QPlainTextEdit *>();
    QVERIFY(bytes != nullptr);
    QVERIFY(bytes->isVisibleTo(&view));
    QCOMPARE(bytes->extraSelections().size(), 1);
    QVERIFY(actionCalled(view, QStringLiteral("folder"))->isEnabled());
}

void TestImportView::leadsToTheRankInTheTimeline()
{
    ImportView view(m_session, nullptr);
    QSignalSpy revealed(&m_session, &Session::revealRequested);
    QSignalSpy views(&m_session, &Session::viewRequested);
    QAction *reveal = actionCalled(view, QStringLiteral("Show rank 1"));
    QVERIFY(reveal != nullptr);
    reveal->trigger();
    QCOMPARE(revealed.size(), 1);
    QCOMPARE(views[0][0].toString(), QStringLiteral("timeline"));
    QVERIFY(m_session.selectedSlice().has_value());
    const auto place = m_session.reader().placeOf(*m_session.selectedSlice());
    QCOMPARE(m_session.reader().info().workers[place->worker.value].rank, 1);
}

void TestImportView::copiesAllThatIsKnown()
{
    ImportView view(m_session, nullptr);
    actionCalled(view, QStringLiteral("Copy"))->trigger();
    const QString copied = QGuiApplication::clipboard()->text();
    QVERIFY2(copied.contains(QStringLiteral("rank1.pt.trace.json.gz")), qPrintable(copied));
    QVERIFY2(copied.contains(QStringLiteral("First at byte: ")), qPrintable(copied));
    QVERIFY2(copied.contains(QStringLiteral(" of the uncompressed data\n")), qPrintable(copied));
}

void TestImportView::copiesWhatIsMarked()
{
    ImportView view(m_session, nullptr);
    view.show();
    QVERIFY(QTest::qWaitForWindowActive(&view));
    QTRY_VERIFY_WITH_TIMEOUT(view.isReadyForScreenshot(), timeoutMs);
    auto *bytes = view.findChild<QPlainTextEdit *>();
    bytes->setFocus();
    bytes->selectAll();
    QTest::keyClick(bytes, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), bytes->toPlainText());

    const auto labels = view.findChildren<QLabel *>();
    const auto message = std::find_if(labels.begin(), labels.end(), [](const QLabel *label) {
        return label->focusPolicy() != Qt::NoFocus && label->text().size() > 40;
    });
    QVERIFY(message != labels.end());
    (*message)->setFocus();
    (*message)->setSelection(3, 20);
    QTest::keyClick(*message, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), (*message)->text().mid(3, 20));
}

void TestImportView::filtersByText()
{
    ImportView view(m_session, nullptr);
    auto *filter = view.findChild<QLineEdit *>();
    const QAbstractItemModel *rows = tableCalled(view, QStringLiteral("Problems"))->model();
    filter->setText(QStringLiteral("notes.txt"));
    QCOMPARE(rows->rowCount(), 1);
    filter->setText(QStringLiteral("no such words"));
    QCOMPARE(rows->rowCount(), 0);
    QVERIFY(hasLabel(view, QStringLiteral("No problem passes the filter")));
}

void TestImportView::aFileTellsWhatWasReadOfIt()
{
    ImportView view(m_session, nullptr);
    QTableView *files = tableCalled(view, QStringLiteral("Files"));
    QCOMPARE(files->model()->index(0, 1).data().toString(),
             QStringLiteral("rank1.pt.trace.json.gz")); // the worst first
    for (int row = 0; row < 3; ++row) {
        if (files->model()->index(row, 1).data().toString().startsWith(QLatin1String("rank0")))
            files->selectRow(row);
    }
    QVERIFY(hasLabel(view, QStringLiteral("Every record of this file was read")));
    QVERIFY(hasLabel(view, QStringLiteral("Records \u201ccpu_op\u201d")));
    QVERIFY(!hasLabel(view, QStringLiteral("Read to byte")));
    files->selectRow(0);
    QVERIFY(hasLabel(view, QStringLiteral("Read to byte")));
    QVERIFY(hasLabel(view, QStringLiteral(" of the uncompressed data")));
    QVERIFY(tableCalled(view, QStringLiteral("Problems"))->selectionModel()->selection().isEmpty());
}

void TestImportView::aRankTellsOfItsFilesAndLeadsToTheTimeline()
{
    ImportView view(m_session, nullptr);
    QTableView *ranks = tableCalled(view, QStringLiteral("Ranks"));
    QCOMPARE(ranks->model()->rowCount(), 2);
    view.enterScreenshotState(QStringLiteral("rank"));
    QVERIFY(hasLabel(view, QStringLiteral("Every record of this rank was read.")));
    QVERIFY(actionCalled(view, QStringLiteral("Show rank 0"))->isEnabled());
    ranks->selectRow(1);
    QVERIFY(hasLabel(view, QStringLiteral("rank1.pt.trace.json.gz: ")));
    QVERIFY(actionCalled(view, QStringLiteral("Show rank 1"))->isEnabled());
}

void TestImportView::aFileThatIsGoneIsTold()
{
    const QString cut = bundle(QStringLiteral("rank1.pt.trace.json.gz"));
    QVERIFY(QFile::rename(cut, cut + QLatin1String(".away")));
    ImportView view(m_session, nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(view.isReadyForScreenshot(), timeoutMs);
    QVERIFY(hasLabel(view, QStringLiteral("not where it was imported from")));
    QVERIFY(!actionCalled(view, QStringLiteral("folder"))->isEnabled());
    QVERIFY(QFile::rename(cut + QLatin1String(".away"), cut));
}

void TestImportView::aProjectWithoutProblemsSaysSo()
{
    import({ sampleFile({}) }, bundle(QStringLiteral("good.longpole")));
    ImportView view(m_session, nullptr);
    QVERIFY(hasLabel(view, QStringLiteral("2 files read")));
    QVERIFY(hasLabel(view, QStringLiteral("Everything was read")));
}

void TestImportView::withoutAProjectThereIsNothingToDo()
{
    m_session.closeProject();
    ImportView view(m_session, nullptr);
    QVERIFY(hasLabel(view, QStringLiteral("No project is open")));
    QVERIFY(!actionCalled(view, QStringLiteral("Copy"))->isEnabled());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestImportView)
#include "tst_import_view.moc"
