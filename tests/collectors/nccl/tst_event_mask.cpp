#include "collectors/nccl/event_mask.h"

#include <QTest>

using collectors::eventMask;

class EventMaskTest : public QObject
{
    Q_OBJECT

private slots:
    void namesAndNumbersAreRead_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("mask"); // -1: refused
        QTest::newRow("names") << std::string("P2p,ProxyOp,ProxyStep") << 0x1c;
        QTest::newRow("kernels") << std::string("KernelCh") << 0x40;
        QTest::newRow("calls") << std::string("Api") << 0xf00;
        QTest::newRow("hexadecimal") << std::string("0x5e") << 0x5e;
        QTest::newRow("decimal") << std::string("18") << 18;
        QTest::newRow("nothing") << std::string() << 0;
        QTest::newRow("unknown") << std::string("Coll,Net") << -1;
        QTest::newRow("spaces") << std::string("Coll, P2p") << -1;
        QTest::newRow("too large") << std::string("0x10000") << -1;
    }
    void namesAndNumbersAreRead()
    {
        QFETCH(std::string, text);
        QFETCH(int, mask);
        QCOMPARE(eventMask(text).value_or(-1), mask);
    }

    void theDefaultHasAllButTheChattyOnes() { QCOMPARE(collectors::defaultEventMask(), 0x1f5e); }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(EventMaskTest)
#include "tst_event_mask.moc"
