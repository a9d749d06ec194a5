#include "tests/support/unit_test.h"
#include "ui/widgets/table_csv.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMainWindow>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QStatusTipEvent>
#include <QTableView>
#include <QTest>
#include <QTimer>

using namespace ui;

namespace {

void fill(QStandardItemModel &model, const QStringList &titles, const QList<QStringList> &rows)
{
    model.setHorizontalHeaderLabels(titles);
    for (const QStringList &row : rows) {
        QList<QStandardItem *> items;
        for (const QString &text : row)
            items << new QStandardItem(text);
        model.appendRow(items);
    }
}

/// Keeps what its parts say.
class Listener : public QMainWindow
{
public:
    QString said;

protected:
    bool event(QEvent *event) override
    {
        if (event->type() == QEvent::StatusTip)
            said = static_cast<const QStatusTipEvent *>(event)->tip();
        return QMainWindow::event(event);
    }
};

} // namespace

class TestTableCsv : public QObject
{
    Q_OBJECT

private slots:
    void unitsGoIntoTheHeader();
    void otherTextStaysAsItIsShown();
    void exactValuesGoFirst();
    void rowsAreThoseOfTheView();
    void theMenuCopiesAndSaysSo();
    void aKeyThatIsTakenStays();
};

void TestTableCsv::unitsGoIntoTheHeader()
{
    QStandardItemModel model;
    fill(model,
         { QStringLiteral("Op"), QStringLiteral("Wait"), QStringLiteral("Size"),
           QStringLiteral("Share"), QStringLiteral("Count"), QStringLiteral("Off"),
           QStringLiteral("Rate") },
         { { QStringLiteral("a,b"), QStringLiteral("1.5\u202fms"), QStringLiteral("2.00\u202fMiB"),
             QStringLiteral("12\u202f%"), QStringLiteral("1\u202f234"),
             QStringLiteral("\u00b13.1\u202f\u00b5s"), QStringLiteral("2.5 GB/s") },
           { QStringLiteral("=x"), QStringLiteral("0\u202fns"), QStringLiteral("512\u202fB"),
             QStringLiteral("0.5\u202f%"), QStringLiteral(""), QStringLiteral("\u22122\u202fms"),
             QStringLiteral("100 MB/s") } });
    QCOMPARE(tableCsv(model),
             QStringLiteral("Op,Wait (ns),Size (B),Share (%),Count,Off (ns),Rate (GB/s)\r\n"
                            "\"a,b\",1500000,2097152,12,1234,3100,2.5\r\n"
                            "'=x,0,512,0.5,,-2000000,0.1\r\n"));
}

void TestTableCsv::otherTextStaysAsItIsShown()
{
    QStandardItemModel model;
    fill(model, { QStringLiteral("Memory"), QStringLiteral("Mixed"), QStringLiteral("Rank") },
         { { QStringLiteral("2 MiB"), QStringLiteral("1 ms"), QStringLiteral("Rank 3") },
           { QStringLiteral("not known"), QStringLiteral("1 B"), QStringLiteral("Rank 4") } });
    QCOMPARE(tableCsv(model),
             QStringLiteral("Memory,Mixed,Rank\r\n2 MiB,1 ms,Rank 3\r\nnot known,1 B,Rank 4\r\n"));
}

void TestTableCsv::exactValuesGoFirst()
{
    QStandardItemModel model;
    fill(model, { QStringLiteral("Wait") },
         { { QStringLiteral("1.235 s") }, { QStringLiteral("1 ns") } });
    model.setHeaderData(0, Qt::Horizontal,
                        titleWithUnit(QStringLiteral("Wait"), QStringLiteral("ns")), CsvRole);
    model.item(0)->setData(QVariant::fromValue<qlonglong>(1'234'567'891), CsvRole);
    QCOMPARE(tableCsv(model), QStringLiteral("Wait (ns)\r\n1234567891\r\n\r\n"));
}

void TestTableCsv::rowsAreThoseOfTheView()
{
    QStandardItemModel model;
    fill(model, { QStringLiteral("N") },
         { { QStringLiteral("1") }, { QStringLiteral("3") }, { QStringLiteral("2") } });
    QSortFilterProxyModel sorted;
    sorted.setSourceModel(&model);
    sorted.sort(0, Qt::DescendingOrder);
    QCOMPARE(tableCsv(sorted), QStringLiteral("N\r\n3\r\n2\r\n1\r\n"));
    QCOMPARE(tableCsv(sorted, { sorted.index(2, 0), sorted.index(0, 0) }),
             QStringLiteral("N\r\n3\r\n1\r\n"));
}

void TestTableCsv::theMenuCopiesAndSaysSo()
{
    Listener window;
    QStandardItemModel model;
    fill(model, { QStringLiteral("N") }, { { QStringLiteral("1") }, { QStringLiteral("3") } });
    auto *view = new QTableView(&window);
    view->setModel(&model);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    offerCsv(*view, QStringLiteral("n"));
    window.setCentralWidget(view);
    QCOMPARE(view->contextMenuPolicy(), Qt::ActionsContextMenu);
    QCOMPARE(view->actions().size(), 3);
    view->actions().front()->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("N\r\n1\r\n3\r\n"));
    QCOMPARE(window.said, QStringLiteral("Copied 2 rows as CSV"));
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    view->setFocus();
    view->selectRow(1);
    QTest::keyClick(view, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("N\r\n3\r\n"));
    QCOMPARE(window.said, QStringLiteral("Copied 1 row as CSV"));
    QStringList entries;
    QTimer::singleShot(0, &window, [&entries] {
        QWidget *menu = QApplication::activePopupWidget();
        if (menu == nullptr)
            return;
        for (const QAction *action : menu->actions())
            entries << action->text();
        menu->close();
    });
    QContextMenuEvent asked(QContextMenuEvent::Mouse, { 5, 5 },
                            view->viewport()->mapToGlobal(QPoint(5, 5)));
    QCoreApplication::sendEvent(view->viewport(), &asked);
    QCOMPARE(entries.size(), 3);
}

void TestTableCsv::aKeyThatIsTakenStays()
{
    QStandardItemModel model;
    QTableView view;
    view.setModel(&model);
    auto *own = new QAction(&view);
    own->setShortcut(QKeySequence::Copy);
    view.addAction(own);
    offerCsv(view, QStringLiteral("n"));
    QCOMPARE(view.actions().size(), 3);
    QWidget chart;
    offerCsv(chart, QStringLiteral("c"), [] { return csvLine({ QStringLiteral("a"), 1.5 }); });
    QCOMPARE(chart.actions().front()->shortcut(), QKeySequence(QKeySequence::Copy));
    chart.actions().front()->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("a,1.5\r\n"));
}

LONGPOLE_TEST(TestTableCsv)
#include "tst_table_csv.moc"
