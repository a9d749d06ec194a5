#include "core/graph/queue_order.h"

#include <QTest>

using namespace core;

class QueueOrderTest : public QObject
{
    Q_OBJECT

private slots:
    void theOrderOfReadinessIsRecognised();
    void priorityIsRecognised();
    void whatNeverHadAChoiceIsServedInOrder();
};

void QueueOrderTest::theOrderOfReadinessIsRecognised()
{
    const QueueOrder order
        = queueOrder({ { "c", 0, 0, 0 }, { "b", 0, 10, 40 }, { "a", 0, 20, 80 } });
    QVERIFY(!order.isByPriority);
}

void QueueOrderTest::priorityIsRecognised()
{
    // "a" became ready last, is needed first, and overtakes "b".
    const QueueOrder order
        = queueOrder({ { "c", 0, 0, 0 }, { "b", 0, 10, 80 }, { "a", 0, 20, 40 } });
    QVERIFY(order.isByPriority);
    QCOMPARE(order.priorities, (std::vector<std::int32_t> { 2, 1, 0 }));
}

void QueueOrderTest::whatNeverHadAChoiceIsServedInOrder()
{
    QVERIFY(!queueOrder({ { "b", 0, 0, 0 }, { "a", 0, 20, 20 } }).isByPriority);
    QVERIFY(!queueOrder({}).isByPriority);
}

QTEST_APPLESS_MAIN(QueueOrderTest)
#include "tst_queue_order.moc"
