#include "ui/widgets/elided_name.h"

#include <QFontMetrics>
#include <QGuiApplication>
#include <QTest>

using namespace ui;

class ElidedNameTest : public QObject
{
    Q_OBJECT

private slots:
    void whatAllNamesBeginWithEndsBeforeAWord_data();
    void whatAllNamesBeginWithEndsBeforeAWord();
    void whatTellsNamesApartIsKept();
};

void ElidedNameTest::whatAllNamesBeginWithEndsBeforeAWord_data()
{
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QString>("shared");
    const QString host = QStringLiteral("ip-172.internal_");
    QTest::newRow("none") << QStringList() << QString();
    QTest::newRow("one") << QStringList { host } << QString();
    QTest::newRow("processes of a host")
        << QStringList { host + QStringLiteral("58187.json"), host + QStringLiteral("58190.json"),
                         host + QStringLiteral("58188.json") }
        << host;
    QTest::newRow("ranks") << QStringList { QStringLiteral("rank0.json"),
                                            QStringLiteral("rank1.json") }
                           << QString();
    QTest::newRow("the same twice")
        << QStringList { QStringLiteral("a/b"), QStringLiteral("a/b") } << QStringLiteral("a/");
}

void ElidedNameTest::whatAllNamesBeginWithEndsBeforeAWord()
{
    QFETCH(const QStringList, names);
    QFETCH(const QString, shared);
    QCOMPARE(sharedStart(names), shared);
}

/// "ip-172-31-1...ace.json.gz" was the name of each of four files.
void ElidedNameTest::whatTellsNamesApartIsKept()
{
    const QFontMetrics metrics { QFont() };
    const QString shared = QStringLiteral("ip-172-31-16-248.us-east-2.compute.internal_");
    const QString name = shared + QStringLiteral("58187.1698959174376874814.pt.trace.json.gz");
    const int width = metrics.horizontalAdvance(QStringLiteral("...58187.1698959174"));
    QCOMPARE(elidedName(name, shared, metrics, 10 * width), name);
    const QString elided = elidedName(name, shared, metrics, width);
    QVERIFY2(elided.startsWith(QStringLiteral("\u202658187.1698")), qPrintable(elided));
    QVERIFY(metrics.horizontalAdvance(elided) <= width);
    // Without a shared start both ends are.
    const QString middle = elidedName(name, {}, metrics, width);
    QVERIFY2(middle.startsWith(QStringLiteral("ip-")) && middle.endsWith(QStringLiteral("gz")),
             qPrintable(middle));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ElidedNameTest)
#include "tst_elided_name.moc"
