#include "core/base/error.h"
#include "core/pipeline/pipeline.h"
#include "ui/session/interrupted_import.h"
#include "ui/session/session.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace ui;

namespace {

constexpr int AddTimeoutMs = 120'000;

QString traceOfRank(int rank)
{
    return QStringLiteral(LONGPOLE_SOURCE_DIR
                          "/resources/samples/vgg-w2-500mbit-b25/rank%1.pt.trace.json.gz")
        .arg(rank);
}

core::ImportOptions appending()
{
    core::ImportOptions options;
    options.append = true;
    return options;
}

} // namespace

/// An open project was not opened anew after an import into it that was cancelled or failed.
class TestInterruptedImport : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void whatWasAddedBeforeTheEndIsTold();
    void anImportThatChangesNothingIsTold();
    void aSecondImportCountsFromBeforeTheFirst();
    void aFailedImportLeavesTheOpenProject();
    void aCancelledImportIsSeenAsItEnded();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_project;
    std::shared_ptr<std::mutex> m_turn = std::make_shared<std::mutex>();
};

void TestInterruptedImport::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_project = m_folder->filePath(QStringLiteral("p.longpole"));
    core::importBundle({ traceOfRank(0).toStdString() }, m_project.toStdString(), {}, {});
}

void TestInterruptedImport::whatWasAddedBeforeTheEndIsTold()
{
    InterruptedImport interrupted;
    QSignalSpy ended(&interrupted, &InterruptedImport::ended);
    const ImportWork work
        = interrupted.watched(importWork({ traceOfRank(1) }, m_project, appending()), m_project);
    {
        const std::lock_guard lock(*m_turn); // it still runs
        interrupted.await(m_project, m_turn, QStringLiteral("why"));
        work({});
        QVERIFY(interrupted.isRunning());
    }
    QVERIFY(ended.wait(AddTimeoutMs));
    QCOMPARE(ended[0][0].toString(), m_project);
    QVERIFY(ended[0][1].toBool());
    QCOMPARE(ended[0][2].toString(), QStringLiteral("why"));
}

void TestInterruptedImport::anImportThatChangesNothingIsTold()
{
    InterruptedImport interrupted;
    QSignalSpy ended(&interrupted, &InterruptedImport::ended);
    const ImportWork work = interrupted.watched(
        [](const core::JobControl &) -> core::ImportReport { throw core::Error("refused"); },
        m_project);
    QVERIFY_THROWS_EXCEPTION(core::Error, work({}));
    interrupted.await(m_project, m_turn, {});
    QVERIFY(ended.wait(AddTimeoutMs));
    QVERIFY(!ended[0][1].toBool());
    interrupted.watched({}, m_project); // one that was cancelled before it began
    interrupted.await(m_project, m_turn, {});
    QVERIFY(ended.wait(AddTimeoutMs));
    QVERIFY(!ended[1][1].toBool());
}

void TestInterruptedImport::aSecondImportCountsFromBeforeTheFirst()
{
    InterruptedImport interrupted;
    QSignalSpy ended(&interrupted, &InterruptedImport::ended);
    const ImportWork first
        = interrupted.watched(importWork({ traceOfRank(1) }, m_project, appending()), m_project);
    first({});
    interrupted.await(m_project, m_turn, {});
    const ImportWork second = interrupted.watched(
        [](const core::JobControl &) -> core::ImportReport { throw core::Error("refused"); },
        m_project);
    QVERIFY_THROWS_EXCEPTION(core::Error, second({}));
    interrupted.await(m_project, m_turn, {});
    QVERIFY(ended.wait(AddTimeoutMs));
    QCOMPARE(ended.size(), 1);
    QVERIFY(ended[0][1].toBool());
}

void TestInterruptedImport::aFailedImportLeavesTheOpenProject()
{
    const QString notes = m_folder->filePath(QStringLiteral("notes.txt"));
    QFile file(notes);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("not a trace\n") > 0);
    file.close();
    Session session;
    session.openProject(m_project);
    session.select(core::SliceId { 1 });
    QSignalSpy interrupted(&session, &Session::importInterrupted);
    QSignalSpy failed(&session, &Session::importFailed);
    QSignalSpy opened(&session, &Session::projectChanged);
    session.appendToProject({ notes }, m_project);
    QVERIFY(interrupted.wait(AddTimeoutMs));
    QVERIFY(!interrupted[0][0].toBool());
    QVERIFY(interrupted[0][1].toString().contains(QStringLiteral("notes.txt")));
    QVERIFY(failed.isEmpty() && opened.isEmpty()); // it is open as it was
    QVERIFY(session.selectedSlice() == core::SliceId { 1 });
}

void TestInterruptedImport::aCancelledImportIsSeenAsItEnded()
{
    const core::Strategy whatIf { { "compute_scale", 0.5 } };
    Session session;
    session.openProject(m_project);
    session.predict(whatIf);
    QSignalSpy interrupted(&session, &Session::importInterrupted);
    QSignalSpy opened(&session, &Session::projectChanged);
    session.appendToProject({ traceOfRank(1) }, m_project);
    session.cancelJob(QStringLiteral("import"));
    QVERIFY(!session.isIdle());
    QVERIFY(interrupted.wait(AddTimeoutMs));
    const bool isChanged = interrupted[0][0].toBool(); // it may have been too late
    QVERIFY(interrupted[0][1].toString().isEmpty());
    QCOMPARE(opened.size(), isChanged ? 1 : 0);
    QCOMPARE(session.reader().info().workers.size(),
             core::ProjectReader(m_project.toStdString()).info().workers.size());
    QVERIFY(session.strategy() == whatIf);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestInterruptedImport)
#include "tst_interrupted_import.moc"
