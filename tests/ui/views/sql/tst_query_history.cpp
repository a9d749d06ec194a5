#include "ui/views/sql/query_history.h"

#include <QSettings>
#include <QTest>

using namespace ui;

class TestQueryHistory : public QObject
{
    Q_OBJECT

private slots:
    void init() { QueryHistory().clear(); }
    void theLastComesFirstAndOnce();
    void onlySoManyAreKept();
    void aTitleIsOneLine();
};

void TestQueryHistory::theLastComesFirstAndOnce()
{
    QueryHistory history;
    history.add(QStringLiteral("SELECT 1"));
    history.add(QStringLiteral("SELECT 2"));
    history.add(QStringLiteral("  SELECT 1\n"));
    history.add(QStringLiteral(" \n"));
    const QStringList expected { QStringLiteral("SELECT 1"), QStringLiteral("SELECT 2") };
    QCOMPARE(history.queries(), expected);
    QCOMPARE(QueryHistory().queries(), expected); // of the next session
    history.clear();
    QVERIFY(QueryHistory().queries().isEmpty());
}

void TestQueryHistory::onlySoManyAreKept()
{
    QueryHistory history;
    for (int i = 0; i < 60; ++i)
        history.add(QStringLiteral("SELECT %1").arg(i));
    QCOMPARE(history.queries().size(), 50);
    QCOMPARE(history.queries().front(), QStringLiteral("SELECT 59"));
}

void TestQueryHistory::aTitleIsOneLine()
{
    QCOMPARE(queryTitle(QStringLiteral("SELECT\n  1")), QStringLiteral("SELECT 1"));
    const QString title = queryTitle(QString(100, u'x'), 10);
    QCOMPARE(title.size(), 10);
    QVERIFY(title.endsWith(QChar(0x2026)));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestQueryHistory)
#include "tst_query_history.moc"
