#include "tests/ui/views/strategies/opened_sample.h"
#include "ui/session/project_history.h"
#include "ui/session/strategy_shelf.h"

#include <QSignalSpy>

using namespace ui;

/// Edits are in the project when they are written, and undo brings back what was there.
class StrategyShelfTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_shelf.reset();
        m_session = m_sample.open();
        QVERIFY(m_session != nullptr);
        m_shelf = std::make_unique<StrategyShelf>(*m_session, nullptr);
        QVERIFY(QTest::qWaitFor([this] { return m_shelf->isEditable(); }));
    }
    void aNewProjectHasNone() { QVERIFY(m_shelf->strategies().empty()); }
    void savedStrategiesAreInTheProject();
    void aRemovedOneComesBackWithItsName();
    void anEmptyNameChangesNothing();
    void whatCannotBeWrittenIsToldAndNotShown();
    void anUndoThatCannotBeWrittenStays();
    void whatIsStillToBeWrittenIsWrittenAtTheEnd();
    void anotherProjectHasItsOwn();
    void editsStayWithTheirProject();
    void whatALeftProjectCannotKeepIsTold();

private:
    std::vector<core::SavedStrategy> stored() const
    {
        if (!QTest::qWaitFor([this] { return !m_shelf->isBusy(); }))
            return {};
        return core::savedStrategies(m_session->reader().path());
    }

    tests::OpenedSample m_sample;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<StrategyShelf> m_shelf;
};

void StrategyShelfTest::savedStrategiesAreInTheProject()
{
    m_shelf->add(QStringLiteral("one"), "{}");
    m_shelf->add(QStringLiteral("two"), "{}");
    QCOMPARE(m_shelf->strategies().size(), std::size_t { 2 });
    QVERIFY(stored() == m_shelf->strategies());
    StrategyShelf again(*m_session, nullptr);
    QVERIFY(QTest::qWaitFor([&again] { return again.isEditable(); }));
    QVERIFY(again.strategies() == m_shelf->strategies());
}

void StrategyShelfTest::aRemovedOneComesBackWithItsName()
{
    m_shelf->add(QStringLiteral("one"), "{\"a\": 1}");
    const std::int64_t id = m_shelf->strategies().front().id;
    m_shelf->rename(id, QStringLiteral(" uno "));
    QCOMPARE(m_shelf->strategies().front().name, std::string("uno"));
    m_shelf->remove(id);
    QVERIFY(m_shelf->strategies().empty());
    m_session->history().stack().undo();
    m_session->history().stack().undo();
    const std::vector<core::SavedStrategy> wanted { { id, "one", "{\"a\": 1}" } };
    QVERIFY(m_shelf->strategies() == wanted);
    QVERIFY(stored() == wanted);
    m_session->history().stack().undo();
    QVERIFY(stored().empty());
    QVERIFY(!m_session->history().stack().canUndo());
    m_session->history().stack().redo();
    QVERIFY(stored() == wanted);
}

void StrategyShelfTest::anEmptyNameChangesNothing()
{
    m_shelf->add(QStringLiteral("one"), "{}");
    m_shelf->rename(m_shelf->strategies().front().id, QStringLiteral("  "));
    QCOMPARE(m_shelf->strategies().front().name, std::string("one"));
    QCOMPARE(m_session->history().stack().count(), 1);
}

void StrategyShelfTest::whatCannotBeWrittenIsToldAndNotShown()
{
    QSignalSpy failed(m_shelf.get(), &StrategyShelf::failed);
    // Another program writes to the project.
    core::Database other(m_session->reader().path(), core::OpenMode::ReadWrite);
    core::Transaction writing(other);
    other.execute("UPDATE property SET value = value");
    m_shelf->add(QStringLiteral("one"), "{}");
    QVERIFY(QTest::qWaitFor([&failed] { return !failed.isEmpty(); }, 60'000));
    QVERIFY(failed.front().front().toString().contains(QStringLiteral("copy.longpole")));
    QVERIFY(m_shelf->strategies().empty());
    QCOMPARE(m_session->history().stack().count(), 0);
}

void StrategyShelfTest::anUndoThatCannotBeWrittenStays()
{
    m_shelf->add(QStringLiteral("one"), "{}");
    QCOMPARE(stored().size(), std::size_t { 1 });
    QSignalSpy failed(m_shelf.get(), &StrategyShelf::failed);
    core::Database other(m_session->reader().path(), core::OpenMode::ReadWrite);
    core::Transaction writing(other);
    other.execute("UPDATE property SET value = value");
    m_session->history().stack().undo();
    QVERIFY(QTest::qWaitFor([&failed] { return !failed.isEmpty(); }, 60'000));
    QTRY_COMPARE(m_shelf->strategies().size(), std::size_t { 1 });
    QCOMPARE(m_session->history().stack().undoText(), QStringLiteral("Keep one"));
    QVERIFY(!m_session->history().stack().canRedo());
}

void StrategyShelfTest::whatIsStillToBeWrittenIsWrittenAtTheEnd()
{
    for (const char *name : { "one", "two", "three" })
        m_shelf->add(QString::fromLatin1(name), "{}");
    m_shelf.reset();
    QCOMPARE(core::savedStrategies(m_session->reader().path()).size(), std::size_t { 3 });
}

void StrategyShelfTest::anotherProjectHasItsOwn()
{
    m_shelf->add(QStringLiteral("one"), "{}");
    const std::filesystem::path first = m_session->reader().path();
    m_session->openProject(m_sample.path());
    QVERIFY(QTest::qWaitFor([this] { return m_shelf->isEditable() && !m_shelf->isBusy(); }));
    QVERIFY(m_shelf->strategies().empty());
    QVERIFY(!m_session->history().stack().canUndo());
    QCOMPARE(core::savedStrategies(first).size(), std::size_t { 1 });
}

/// They counted as written, or as failed, in the history of the project that was opened next.
void StrategyShelfTest::editsStayWithTheirProject()
{
    const QString first = m_session->projectPath();
    QTemporaryDir folder;
    const QString second = folder.filePath(QStringLiteral("second.longpole"));
    QVERIFY(QFile::copy(first, second));
    for (const char *name : { "one", "two", "three" })
        m_shelf->add(QString::fromLatin1(name), "{}");
    m_session->openProject(second);
    QCOMPARE(core::savedStrategies(first.toStdString()).size(), std::size_t { 3 });
    QTRY_VERIFY(m_shelf->isEditable());
    QVERIFY(m_shelf->strategies().empty());
    m_shelf->add(QStringLiteral("four"), "{}");
    QCOMPARE(stored().size(), std::size_t { 1 });
    QCOMPARE(core::savedStrategies(first.toStdString()).size(), std::size_t { 3 });
    QCOMPARE(m_session->history().stack().count(), 1);
    QVERIFY(m_session->history().stack().canUndo());
}

void StrategyShelfTest::whatALeftProjectCannotKeepIsTold()
{
    const QString first = m_session->projectPath();
    QTemporaryDir folder;
    const QString second = folder.filePath(QStringLiteral("second.longpole"));
    QVERIFY(QFile::copy(first, second));
    QSignalSpy told(m_session.get(), &Session::cannotKeep);
    core::Database other(first.toStdString(), core::OpenMode::ReadWrite);
    core::Transaction writing(other);
    other.execute("UPDATE property SET value = value");
    m_shelf->add(QStringLiteral("one"), "{}");
    m_session->openProject(second);
    QTRY_COMPARE(told.size(), 1);
    QVERIFY(told[0][0].toString().contains(QStringLiteral("copy.longpole")));
    QTRY_VERIFY(m_shelf->isEditable());
    m_shelf->add(QStringLiteral("two"), "{}");
    QCOMPARE(stored().size(), std::size_t { 1 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(StrategyShelfTest)
#include "tst_strategy_shelf.moc"
