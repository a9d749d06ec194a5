#include "ui/session/project_history.h"
#include "ui/session/session.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>

using namespace ui;

namespace {

/// Appends its letter to a text, and takes it off again.
class Letter : public ProjectCommand
{
public:
    Letter(ProjectHistory &history, const QObject &part, QString &text, QChar letter)
        : ProjectCommand(history, { &part, QStringLiteral("compare"), true }, QString(letter))
        , m_text(text)
        , m_letter(letter)
    {
    }

protected:
    void apply(bool isDone) override
    {
        if (isDone)
            m_text.append(m_letter);
        else
            m_text.remove(m_letter);
    }

private:
    QString &m_text;
    QChar m_letter;
};

} // namespace

/// The history of a project is true to what was written.
class TestProjectHistory : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_text.clear();
        m_session = std::make_unique<Session>();
        m_one = std::make_unique<QObject>();
        m_other = std::make_unique<QObject>();
    }
    void undoAndRedoShowThePage();
    void anUndoThatWasNotWrittenStays();
    void aRedoThatWasNotWrittenStays();
    void aNewChangeThatWasNotWrittenIsNotListed();
    void whatWasWrittenBeforeTheFailureStays();
    void whatIsGoneChangesNothing();

private:
    QUndoStack &stack() const { return m_session->history().stack(); }
    void add(const QObject &part, char letter)
    {
        m_session->history().push(
            new Letter(m_session->history(), part, m_text, QLatin1Char(letter)));
    }
    QString listed() const ///< with | between what can be undone and redone
    {
        QString all;
        for (int i = 0; i < stack().count(); ++i)
            all += (i == stack().index() ? QStringLiteral("|") : QString()) + stack().text(i);
        return all;
    }

    QString m_text;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<QObject> m_one, m_other;
};

void TestProjectHistory::undoAndRedoShowThePage()
{
    QSignalSpy shown(m_session.get(), &Session::viewRequested);
    add(*m_one, 'a');
    QCOMPARE(m_text, QStringLiteral("a"));
    QVERIFY(shown.isEmpty()); // the user is where they made it
    stack().undo();
    QCOMPARE(m_text, QString());
    QCOMPARE(shown.takeFirst().front().toString(), QStringLiteral("compare"));
    m_session->setShownView(QStringLiteral("compare"));
    stack().redo();
    QCOMPARE(m_text, QStringLiteral("a"));
    QVERIFY(shown.isEmpty());
}

void TestProjectHistory::anUndoThatWasNotWrittenStays()
{
    add(*m_one, 'a');
    m_session->history().written(*m_one);
    stack().undo();
    QCOMPARE(listed(), QStringLiteral("|a"));
    m_session->history().failed(*m_one);
    QCOMPARE(stack().undoText(), QStringLiteral("a"));
    QVERIFY(!stack().canRedo());
    QCOMPARE(m_text, QString()); // the part itself shows what the project has
}

void TestProjectHistory::aRedoThatWasNotWrittenStays()
{
    add(*m_one, 'a');
    stack().undo();
    m_session->history().written(*m_one, 2);
    stack().redo();
    m_session->history().failed(*m_one);
    QCOMPARE(listed(), QStringLiteral("|a"));
    QVERIFY(stack().canRedo());
}

void TestProjectHistory::aNewChangeThatWasNotWrittenIsNotListed()
{
    add(*m_one, 'a');
    add(*m_other, 'b');
    m_session->history().failed(*m_one);
    QCOMPARE(listed(), QStringLiteral("b"));
    QVERIFY(stack().canUndo());
    m_session->history().failed(*m_other);
    QCOMPARE(stack().count(), 0);
}

void TestProjectHistory::whatWasWrittenBeforeTheFailureStays()
{
    for (const char letter : { 'a', 'b', 'c' })
        add(*m_one, letter);
    m_session->history().written(*m_one, 1);
    m_session->history().failed(*m_one);
    QCOMPARE(listed(), QStringLiteral("a"));
    m_session->history().failed(*m_one); // there is nothing left to fail
    QCOMPARE(listed(), QStringLiteral("a"));
}

void TestProjectHistory::whatIsGoneChangesNothing()
{
    add(*m_one, 'a');
    m_one.reset();
    stack().undo();
    QCOMPARE(m_text, QStringLiteral("a"));
    QCOMPARE(stack().count(), 0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestProjectHistory)
#include "tst_project_history.moc"
