#include "core/graph/build/queue_order.h"

#include <QTest>

using namespace core;

class QueueOrderTest : public QObject
{
    Q_OBJECT

private slots:
    void theOrderOfReadinessIsRecognised();
    void priorityIsRecognised();
    void aLayersOwnTensorsMayKeepTheirOrder();
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

void QueueOrderTest::aLayersOwnTensorsMayKeepTheirOrder()
{
    // P3 sends a layer's weight before its bias, which is complete a little later. Neither that
    // pair nor a run of slices of one tensor tells the orders apart; that both of the layer's
    // overtake the rest of "d" does (a recording of VGG on two ranks was taken for one in the order
    // of readiness, and its replay was 13 % too slow).
    const QueueOrder order = queueOrder({ { "d", 0, 0, 0 },
                                          { "weight", 0, 10, 40 },
                                          { "bias", 0, 11, 50 },
                                          { "d", 0, 0, 60 },
                                          { "d", 0, 0, 70 } });
    QVERIFY(order.isByPriority);
    // The same tensors in the order of readiness.
    QVERIFY(!queueOrder({ { "d", 0, 0, 0 },
                          { "d", 0, 0, 40 },
                          { "d", 0, 0, 50 },
                          { "weight", 0, 10, 60 },
                          { "bias", 0, 11, 70 } })
                 .isByPriority);
}

void QueueOrderTest::whatNeverHadAChoiceIsServedInOrder()
{
    QVERIFY(!queueOrder({ { "b", 0, 0, 0 }, { "a", 0, 20, 20 } }).isByPriority);
    QVERIFY(!queueOrder({}).isByPriority);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(QueueOrderTest)
#include "tst_queue_order.moc"
