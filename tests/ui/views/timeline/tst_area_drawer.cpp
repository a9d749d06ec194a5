#include "ui/theme/theme.h"
#include "ui/views/timeline/area_drawer.h"

#include <QApplication>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

#include <algorithm>

using namespace ui;

class TestAreaDrawer : public QObject
{
    Q_OBJECT

private slots:
    void allFiguresAreSeenInTheSmallestWindow();
};

/// The longest and the share of the area had to be scrolled to.
void TestAreaDrawer::allFiguresAreSeenInTheSmallestWindow()
{
    applyTheme(*qApp, ThemeChoice::Light); // has paddings of its own
    AreaTotals totals;
    totals.range = { 0, 1'052'000'000 };
    totals.ranks.push_back({});
    NameTotal name;
    name.name = QStringLiteral("autograd::engine::evaluate_function: _SleepBackward");
    name.role = core::Role::Communication;
    name.count = 123'456;
    name.sumNs = 2'951'000'000;
    name.longestNs = 245'900'000;
    totals.names.push_back(name);
    AreaDrawer drawer;
    drawer.resize(640, 240); // beside the details in a window of 900 pixels
    drawer.show();
    drawer.showTotals(std::make_shared<const AreaTotals>(totals));
    const auto tables = drawer.findChildren<QTableView *>();
    const auto shown = std::find_if(tables.begin(), tables.end(),
                                    [](const QTableView *one) { return one->isVisible(); });
    QVERIFY(shown != tables.end());
    const QTableView *table = *shown;
    QTRY_COMPARE(table->horizontalScrollBar()->maximum(), 0);
    const int last = table->model()->columnCount() - 1;
    QVERIFY(table->columnViewportPosition(last) + table->columnWidth(last)
            <= table->viewport()->width());
    QVERIFY(table->columnWidth(0) >= 100);
    const int role = 1; // "communication" was "commu...ation"
    const QString text = table->model()->index(0, role).data().toString();
    QVERIFY(table->columnWidth(role) > table->fontMetrics().horizontalAdvance(text));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestAreaDrawer)
#include "tst_area_drawer.moc"
