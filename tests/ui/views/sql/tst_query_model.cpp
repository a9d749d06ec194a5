#include "ui/views/sql/query_model.h"
#include "ui/widgets/table_csv.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace ui;

namespace {

std::shared_ptr<const core::QueryResult> rows()
{
    core::QueryResult result;
    result.columns = { "id", "raw_start_ns", "start_ns", "dur_ns", "name" };
    result.rows = { { "7", "10", "20", "5", "a,b" },
                    { std::nullopt, "10", "20", "5", std::nullopt },
                    { std::nullopt, "10", "x", "5", "=1" } };
    result.isNumber = { { 1, 1, 1, 1, 0 }, { 0, 1, 1, 1, 0 }, { 0, 1, 0, 1, 0 } };
    return std::make_shared<const core::QueryResult>(std::move(result));
}

} // namespace

class TestQueryModel : public QObject
{
    Q_OBJECT

private slots:
    void numbersStandRightAndSortAsSuch();
    void aRowNamesASliceOrATime();
    void csvHasAllRows();
};

void TestQueryModel::numbersStandRightAndSortAsSuch()
{
    QueryModel model;
    QAbstractItemModelTester tester(&model);
    QCOMPARE(model.rowCount(), 0);
    model.setResult(rows());
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.headerData(4, Qt::Horizontal, Qt::DisplayRole).toString(),
             QStringLiteral("name"));
    const QModelIndex number = model.index(0, 0);
    QCOMPARE(number.data(QueryModel::SortRole).toDouble(), 7.0);
    QVERIFY(number.data(Qt::TextAlignmentRole).value<Qt::Alignment>().testFlag(Qt::AlignRight));
    QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("NULL"));
    QVERIFY(model.index(1, 0).data(Qt::ForegroundRole).isValid()); // told apart from a text
    QVERIFY(!model.index(0, 4).data(Qt::ForegroundRole).isValid());
    model.setResult(nullptr);
    QCOMPARE(model.columnCount(), 0);
    QCOMPARE(tableCsv(model), QStringLiteral("\r\n"));
}

void TestQueryModel::aRowNamesASliceOrATime()
{
    QueryModel model;
    model.setResult(rows());
    const auto slice = model.placeOf(0);
    QVERIFY(slice);
    QCOMPARE(slice->slice, core::SliceId { 7 });
    QCOMPARE(slice->range.startNs, 20);
    QCOMPARE(slice->range.endNs, 25);
    const auto time = model.placeOf(1);
    QVERIFY(time && time->slice == core::NoSlice);
    QCOMPARE(time->range.endNs, 25);
    QVERIFY(!model.placeOf(2)); // its start is no number
    QVERIFY(!model.placeOf(3));
    QVERIFY(!model.placeOf(-1));
}

void TestQueryModel::csvHasAllRows()
{
    QueryModel model;
    model.setResult(rows());
    QCOMPARE(tableCsv(model),
             QStringLiteral("id,raw_start_ns,start_ns,dur_ns,name\r\n7,10,20,5,\"a,b\"\r\n"
                            ",10,20,5,\r\n,10,x,5,'=1\r\n"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestQueryModel)
#include "tst_query_model.moc"
