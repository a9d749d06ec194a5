#include "core/analyze/report/op_table.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

const OpTableRow *find(const std::vector<OpTableRow> &rows, const std::string &name)
{
    for (const OpTableRow &row : rows)
        if (row.name == name)
            return &row;
    return nullptr;
}

/// Two ranks and iterations; rank 1 comes 10 us later to its all-reduce of 1,000 bytes.
Trace twoRanks()
{
    return tests::traceFromText("rank 0\niteration 0 0 100\niteration 1 100 100\n"
                                "thread main\n"
                                "forward 0 60 user_annotation\n"
                                "aten::linear 0 60\naten::mm 10 40\n"
                                "aten::mm 110 20\n"
                                "comm gloo\n"
                                "gloo:all_reduce 60 30 kind=all_reduce bytes=1000 seq=1\n"
                                "rank 1\niteration 0 0 100\n"
                                "thread main\naten::mm 10 60\n"
                                "comm gloo\n"
                                "gloo:all_reduce 70 20 kind=all_reduce bytes=1000 seq=1\n");
}

} // namespace

class TestOpTable : public QObject
{
    Q_OBJECT

private slots:
    void ownTimeIsWithoutWhatIsCalled()
    {
        const auto rows = opTable(twoRanks(), {}, {}, {});
        const OpTableRow *mm = find(rows, "aten::mm"), *linear = find(rows, "aten::linear"),
                         *forward = find(rows, "forward");
        QVERIFY(mm && linear && forward);
        QCOMPARE(rows.front().name, std::string("aten::mm"));
        QCOMPARE(mm->ownNs, 120'000);
        QCOMPARE(mm->count, std::size_t { 3 });
        QCOMPARE(mm->ranks, std::size_t { 2 });
        QCOMPARE(mm->medianNs, 40'000);
        QCOMPARE(mm->longestNs, 60'000);
        QCOMPARE(linear->ownNs, 20'000);
        QCOMPARE(linear->medianNs, 60'000); // with what it calls
        QCOMPARE(mm->share, 120.0 / 140); // of framework ops, not of annotations
        QCOMPARE(forward->kind, OpTableKind::Annotation);
        double sum = 0;
        for (const OpTableRow &row : rows)
            if (row.kind == OpTableKind::FrameworkOp)
                sum += row.share;
        QCOMPARE(sum, 1.0);
    }

    void onlyARankOrAnIteration()
    {
        const Trace trace = twoRanks();
        const auto second = opTable(trace, {}, { 1, {} }, {});
        QCOMPARE(find(second, "aten::mm")->ownNs, 60'000);
        QVERIFY(!find(second, "aten::linear"));
        const auto iteration = opTable(trace, {}, { {}, 1 }, {});
        QCOMPARE(iteration.size(), std::size_t { 1 });
        QCOMPARE(iteration.front().ownNs, 20'000);
        QVERIFY(opTable(trace, {}, { 7, {} }, {}).empty());
    }

    /// Bytes over the duration count the wait for the last rank as transfer.
    void bandwidthIsOfTheTransferAlone()
    {
        const Trace trace = twoRanks();
        CollectiveReport collective;
        collective.bytes = 1000;
        for (const CollectiveCall &call : trace.collectives) {
            CollectiveRankReport part;
            part.slice = call.slice;
            part.transferNs = 20'000;
            collective.ranks.push_back(part);
        }
        const auto rows = opTable(trace, { collective }, {}, {});
        const OpTableRow *reduce = find(rows, "gloo:all_reduce");
        QVERIFY(reduce && reduce->busGBs);
        QCOMPARE(*reduce->busGBs, 0.05); // 2 ranks: 2 (n-1)/n is 1
        QCOMPARE(*reduce->algorithmGBs, 0.05);
        QVERIFY(!find(rows, "aten::mm")->busGBs);
        collective.bytes = 0; // not recorded
        QVERIFY(!find(opTable(trace, { collective }, {}, {}), "gloo:all_reduce")->busGBs);
    }

    void inputShapesTellOpsApart()
    {
        const Trace trace = tests::traceFromText("rank 0\nthread main\n"
                                                 "aten::mm 0 10\naten::mm 10 30\n"
                                                 "aten::mm 40 20\naten::mm 60 1\n");
        OpShapes shapes;
        shapes.distinct = { {}, { { 8, 4 }, { 4 } }, { { 2, 2 } }, { { 8, 4 }, { 4 }, {} } };
        shapes.ofRow = { { 1, 2, 3, 0 } };
        const auto rows = opTable(trace, {}, {}, {}, &shapes);
        QCOMPARE(rows.size(), std::size_t { 3 });
        QCOMPARE(rows[0].shapes, std::string("[2, 2]")); // of two sums of 30 us the first by text
        QCOMPARE(rows[1].shapes, std::string("[8, 4], [4]"));
        QCOMPARE(rows[1].count, std::size_t { 2 }); // whatever arguments without a shape follow
        QCOMPARE(rows[1].ownNs, 30'000);
        QVERIFY(rows[2].shapes.empty()); // not recorded
        QCOMPARE(opTable(trace, {}, {}, {}).size(), std::size_t { 1 });
        QCOMPARE(shapesText({ {}, { 10 }, {} }), std::string("[], [10]"));
        QCOMPARE(shapesText({ {}, {} }), std::string());
    }

    void everyCategoryHasAKind()
    {
        QCOMPARE(opTableKindOf(Category::CommOp), OpTableKind::Communication);
        QCOMPARE(opTableKindOf(Category::Memset), OpTableKind::Copy);
        QCOMPARE(opTableKindOf(Category::Span), OpTableKind::Annotation);
        QCOMPARE(opTableKindName(OpTableKind::Annotation), std::string_view("annotation"));
        QCOMPARE(opTableKindName(OpTableKind::Kernel), std::string_view("kernel"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpTable)
#include "tst_op_table.moc"
