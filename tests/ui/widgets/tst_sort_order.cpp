#include "ui/widgets/sort_order.h"

#include <QTest>

using namespace ui;

class TestSortOrder : public QObject
{
    Q_OBJECT

private slots:
    void figuresSortFromTheLargest()
    {
        const auto order = [](const QVariant &alignment) {
            return firstSortOrder(alignment).value<Qt::SortOrder>();
        };
        QCOMPARE(order(int(Qt::AlignRight | Qt::AlignVCenter)), Qt::DescendingOrder);
        QCOMPARE(order(int(Qt::AlignLeft | Qt::AlignVCenter)), Qt::AscendingOrder);
        QCOMPARE(order(QVariant::fromValue(Qt::Alignment(Qt::AlignRight) | Qt::AlignVCenter)),
                 Qt::DescendingOrder);
        QCOMPARE(order({}), Qt::AscendingOrder);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSortOrder)
#include "tst_sort_order.moc"
