#include "core/bundle/natural_order.h"

#include <QTest>

using core::comesBefore;

class NaturalOrderTest : public QObject
{
    Q_OBJECT

private slots:
    void namesAreOrderedByTheirNumbers_data()
    {
        QTest::addColumn<QByteArray>("first");
        QTest::addColumn<QByteArray>("second");
        QTest::newRow("number") << QByteArray("rank2") << QByteArray("rank10");
        QTest::newRow("number inside") << QByteArray("a2/x") << QByteArray("a10/b");
        QTest::newRow("prefix") << QByteArray("rank") << QByteArray("rank0");
        QTest::newRow("letters") << QByteArray("a9") << QByteArray("b1");
        QTest::newRow("zeros") << QByteArray("r007") << QByteArray("r7");
        QTest::newRow("longer than any integer") << QByteArray("r99999999999999999999999998")
                                                 << QByteArray("r99999999999999999999999999");
    }
    void namesAreOrderedByTheirNumbers()
    {
        QFETCH(QByteArray, first);
        QFETCH(QByteArray, second);
        const std::string a = first.toStdString();
        const std::string b = second.toStdString();
        QVERIFY(comesBefore(a, b));
        QVERIFY(!comesBefore(b, a));
        QVERIFY(!comesBefore(a, a));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NaturalOrderTest)
#include "tst_natural_order.moc"
