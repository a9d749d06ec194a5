#include "ui/widgets/name_column_fit.h"

#include <QHeaderView>
#include <QStandardItemModel>
#include <QTableView>
#include <QtTest>

using namespace ui;

class NameColumnFitTest : public QObject
{
    Q_OBJECT

private slots:
    void namesTakeWhatIsLeft();
    void namesStayReadableInANarrowTable();
    void aHiddenColumnLeavesItsWidth();
};

namespace {

constexpr int LeastPx = 200;
constexpr int OtherPx = 100;

struct Table
{
    QStandardItemModel model { 2, 3 };
    QTableView view;

    explicit Table(int width)
    {
        view.setModel(&model);
        view.verticalHeader()->hide();
        view.setColumnWidth(1, OtherPx);
        view.setColumnWidth(2, OtherPx);
        new NameColumnFit(&view, 0, LeastPx);
        view.resize(width, 200);
        view.show();
        QCoreApplication::processEvents();
    }
};

} // namespace

void NameColumnFitTest::namesTakeWhatIsLeft()
{
    Table table(800);
    QCOMPARE(table.view.columnWidth(0), table.view.viewport()->width() - 2 * OtherPx);
    table.view.resize(900, 200);
    QCOMPARE(table.view.columnWidth(0), table.view.viewport()->width() - 2 * OtherPx);
    table.view.setColumnWidth(1, 2 * OtherPx);
    QCOMPARE(table.view.columnWidth(0), table.view.viewport()->width() - 3 * OtherPx);
}

void NameColumnFitTest::namesStayReadableInANarrowTable()
{
    const Table table(300);
    QCOMPARE(table.view.columnWidth(0), LeastPx);
}

void NameColumnFitTest::aHiddenColumnLeavesItsWidth()
{
    Table table(800);
    table.view.setColumnHidden(2, true);
    QCOMPARE(table.view.columnWidth(0), table.view.viewport()->width() - OtherPx);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NameColumnFitTest)
#include "tst_name_column_fit.moc"
