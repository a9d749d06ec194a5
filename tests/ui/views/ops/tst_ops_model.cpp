#include "ui/views/ops/ops_model.h"
#include "ui/widgets/table_csv.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace ui;

namespace {

std::shared_ptr<const OpTable> table()
{
    OpTable rows(4);
    rows[0].name = "aten::mm";
    rows[0].ownNs = 9'000;
    rows[0].count = 3;
    rows[0].share = 0.9;
    rows[1].name = "ncclAllReduce";
    rows[1].kind = core::OpTableKind::Communication;
    rows[1].ownNs = 20'000;
    rows[1].busGBs = 12.5;
    rows[1].algorithmGBs = 6.25;
    rows[2].name = "=mm";
    rows[2].ownNs = 1'000;
    rows[3].name = "ProfilerStep#1 mm";
    rows[3].kind = core::OpTableKind::Annotation;
    return std::make_shared<const OpTable>(std::move(rows));
}

} // namespace

class TestOpsModel : public QObject
{
    Q_OBJECT

private slots:
    void cellsHaveUnitsAndSortAsNumbers();
    void rowsOfAKindOrATextAreShown();
    void csvHasUnitsInItsHeader();
    void aColumnWithoutAnyValueIsEmpty();
    void longShapesShowWhatDiffers();
};

/// Elided at their ends, the shapes of a multiplication's calls all looked alike.
void TestOpsModel::longShapesShowWhatDiffers()
{
    const std::string begin = "[[4096, 1024], [1024, 1024], [", end = ", 4096], [], [4096, 1024]]";
    OpTable rows(4);
    for (core::OpTableRow &row : rows)
        row.name = "aten::addmm";
    rows[0].shapes = begin + "1024" + end;
    rows[1].shapes = begin + "1536" + end;
    rows[2].shapes = "[[8, 4]]";
    rows[3].name = "aten::mm"; // alone
    rows[3].shapes = rows[0].shapes;
    OpsModel model;
    model.setTable(std::make_shared<const OpTable>(OpTable { rows[0], rows[1], rows[3] }));
    const auto shown
        = [&model](int row) { return model.index(row, OpsModel::ShapesColumn).data().toString(); };
    QCOMPARE(shown(0), QStringLiteral("\u20261024\u2026"));
    QCOMPARE(shown(1), QStringLiteral("\u20261536\u2026"));
    QCOMPARE(shown(2), QString::fromStdString(rows[3].shapes));
    const QModelIndex first = model.index(0, OpsModel::ShapesColumn);
    QVERIFY(first.data(Qt::ToolTipRole).toString().contains(QStringLiteral("4096")));
    QCOMPARE(first.data(CsvRole).toString(), QString::fromStdString(rows[0].shapes));
    model.setTable(std::make_shared<const OpTable>(rows));
    QVERIFY(shown(0) != shown(1));
    QCOMPARE(shown(2), QStringLiteral("[[8, 4]]"));
}

void TestOpsModel::aColumnWithoutAnyValueIsEmpty()
{
    OpsModel model;
    QVERIFY(model.isEmpty(OpsModel::NameColumn)); // no table
    model.setTable(table());
    QVERIFY(model.isEmpty(OpsModel::ShapesColumn));
    QVERIFY(!model.isEmpty(OpsModel::BusColumn));
    OpTable rows(2);
    rows[1].shapes = "[8, 4]";
    model.setTable(std::make_shared<const OpTable>(std::move(rows)));
    QVERIFY(!model.isEmpty(OpsModel::ShapesColumn));
    QCOMPARE(model.index(1, OpsModel::ShapesColumn).data().toString(), QStringLiteral("[8, 4]"));
    QVERIFY(model.isEmpty(OpsModel::BusColumn));
}

void TestOpsModel::cellsHaveUnitsAndSortAsNumbers()
{
    OpsModel model;
    QAbstractItemModelTester tester(&model);
    model.setTable(table());
    const auto text = [&model](int row, int column) {
        return model.index(row, column).data().toString().replace(QChar(0x202F), u' ');
    };
    QCOMPARE(text(0, OpsModel::OwnColumn), QStringLiteral("9.000 \u00b5s"));
    QCOMPARE(text(0, OpsModel::KindColumn), QStringLiteral("Framework op"));
    QCOMPARE(text(1, OpsModel::BusColumn), QStringLiteral("12.5 GB/s"));
    QVERIFY(text(0, OpsModel::BusColumn).isEmpty()); // not recorded
    OpsFilter rows(model);
    rows.sort(OpsModel::OwnColumn, Qt::DescendingOrder);
    QCOMPARE(rows.rowAt(rows.index(0, 0)).name, std::string("ncclAllReduce"));
    QCOMPARE(rows.rowAt(rows.index(1, 0)).name, std::string("aten::mm"));
    QCOMPARE(model.headerData(OpsModel::OwnColumn, Qt::Horizontal, Qt::InitialSortOrderRole)
                 .value<Qt::SortOrder>(),
             Qt::DescendingOrder);
}

void TestOpsModel::rowsOfAKindOrATextAreShown()
{
    OpsModel model;
    model.setTable(table());
    OpsFilter rows(model);
    rows.setText(QStringLiteral(" MM "));
    QCOMPARE(rows.rowCount(), 2);
    rows.setKind(core::OpTableKind::Communication);
    QCOMPARE(rows.rowCount(), 0);
    rows.setText({});
    QCOMPARE(rows.rowCount(), 1);
    rows.setKind(std::nullopt);
    QCOMPARE(rows.rowCount(), 3); // annotations cover what they mark
    rows.setKind(core::OpTableKind::Annotation);
    QCOMPARE(rows.rowCount(), 1);
}

void TestOpsModel::csvHasUnitsInItsHeader()
{
    OpsModel model;
    model.setTable(table());
    OpsFilter rows(model);
    rows.sort(OpsModel::OwnColumn, Qt::AscendingOrder);
    const QStringList lines = tableCsv(rows).split(QStringLiteral("\r\n"));
    QCOMPARE(lines[0],
             QStringLiteral("operation,input_shapes,kind,own_ns,share_of_kind,count,p50_ns,p95_ns,"
                            "longest_ns,algbw_gb_s,busbw_gb_s"));
    QVERIFY(lines[1].startsWith(QStringLiteral("'=mm,,Framework op,1000,"))); // no formula
    QVERIFY(lines[3].endsWith(QStringLiteral(",6.25,12.5")));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpsModel)
#include "tst_ops_model.moc"
