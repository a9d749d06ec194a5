#include "ui/widgets/dense_table.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>

class TestDenseTable : public QObject
{
    Q_OBJECT

private slots:
    void rowsAreSortedByTheirValuesAndSelectedWhole()
    {
        QStandardItemModel model(3, 2);
        const int values[] { 10, 9, 100 };
        for (int row = 0; row < 3; ++row) {
            model.setData(model.index(row, 0), QString::number(values[row]));
            model.setData(model.index(row, 0), values[row], Qt::UserRole);
            model.setData(model.index(row, 1), QStringLiteral("x"));
        }
        QSortFilterProxyModel sorted;
        QTableView table;
        ui::setUpSortedTable(table, model, sorted, Qt::UserRole, 0);
        QStringList shown;
        for (int row = 0; row < 3; ++row)
            shown << table.model()->index(row, 0).data().toString();
        QCOMPARE(shown.join(u' '), QStringLiteral("9 10 100")); // as texts 10 is first
        table.horizontalHeader()->resize(400, 20);
        table.sortByColumn(0, Qt::DescendingOrder);
        QCOMPARE(table.model()->index(0, 0).data().toString(), QStringLiteral("100"));
        table.selectRow(0);
        table.selectRow(1);
        QCOMPARE(table.selectionModel()->selectedIndexes().size(), 2); // one row
    }

    /// It went through the cells of the critical path first.
    void tabLeavesTheTable()
    {
        QWidget window;
        auto *layout = new QHBoxLayout(&window);
        QStandardItemModel model(5, 3);
        QTableView table;
        table.setModel(&model);
        ui::setUpDenseTable(table);
        QLineEdit next;
        layout->addWidget(&table);
        layout->addWidget(&next);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.activateWindow();
        table.setFocus();
        table.setCurrentIndex(model.index(0, 0));
        QTest::keyClick(&table, Qt::Key_Tab);
        QCOMPARE(window.focusWidget(), &next);
        QCOMPARE(table.currentIndex(), model.index(0, 0));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDenseTable)
#include "tst_dense_table.moc"
