#include "ui/views/timeline/area_totals_model.h"
#include "ui/views/timeline/graph_links.h"
#include "ui/widgets/table_csv.h"

#include <QAbstractItemModelTester>
#include <QTest>

class TestAreaTotals : public QObject
{
    Q_OBJECT

private slots:
    void overlappingIntervalsCountOnce()
    {
        std::vector<core::TimeRange> intervals { { 50, 60 }, { 0, 10 }, { 5, 20 }, { 6, 8 } };
        QCOMPARE(ui::unionNs(intervals), std::int64_t { 30 });
        std::vector<core::TimeRange> none;
        QCOMPARE(ui::unionNs(none), std::int64_t { 0 });
    }

    void theTablesKeepTheModelsContract()
    {
        using Table = ui::AreaTotalsModel::Table;
        for (const Table table : { Table::Names, Table::Roles, Table::Ranks }) {
            ui::AreaTotalsModel model(table);
            const QAbstractItemModelTester tester(&model);
            model.setSnapshot(totals());
            QVERIFY(model.rowCount() > 0);
            model.setSnapshot(nullptr);
            QCOMPARE(model.rowCount(), 0);
        }
    }

    void sharesAreOfTheAreaTimesItsRanks()
    {
        ui::AreaTotalsModel model(ui::AreaTotalsModel::Table::Names);
        model.setSnapshot(totals());
        QCOMPARE(model.index(0, 6).data(ui::AreaTotalsModel::SortRole).toDouble(), 0.25);
        QCOMPARE(model.index(0, 4).data(ui::AreaTotalsModel::SortRole).toLongLong(), 250LL);
    }

    void csvQuotesWhatNeedsIt()
    {
        ui::AreaTotalsModel model(ui::AreaTotalsModel::Table::Names);
        model.setSnapshot(totals());
        const QStringList lines = ui::tableCsv(model).split(QStringLiteral("\r\n"));
        QCOMPARE(lines[0],
                 QStringLiteral("Name,Role,Count,Sum (ns),Mean (ns),Longest (ns),"
                                "Share of area (fraction)"));
        QCOMPARE(lines[1], QStringLiteral("\"f<a, \"\"b\"\">\",forward,2,500,250,300,0.25"));
    }

    /// A spreadsheet would run it.
    void csvSpellsFormulasOut()
    {
        auto named = std::make_shared<ui::AreaTotals>(*totals());
        named->names.front().name = QStringLiteral("\t=HYPERLINK(1)");
        ui::AreaTotalsModel model(ui::AreaTotalsModel::Table::Names);
        model.setSnapshot(named);
        QVERIFY(ui::tableCsv(model).contains(QStringLiteral("\r\n'\t=HYPERLINK(1),forward,")));
    }

    void linksLookThroughVirtualOps()
    {
        // slice 10 -> virtual -> slice 20 -> slice 30
        auto graph = std::make_shared<core::Graph>();
        graph->durationNs = { 5, 0, 5, 5 };
        graph->measuredStartNs = { 0, 5, 5, 10 };
        graph->kind = { core::OpKind::Compute, core::OpKind::Virtual, core::OpKind::Compute,
                        core::OpKind::Compute };
        graph->slice = { core::SliceId(10), core::NoSlice, core::SliceId(20), core::SliceId(30) };
        graph->predOffset = { 0, 0, 1, 2, 3 };
        graph->preds = { { core::OpId(0), core::EdgeKind::Data },
                         { core::OpId(1), core::EdgeKind::Data },
                         { core::OpId(2), core::EdgeKind::HostOrder } };
        const ui::GraphLinks links(graph);
        QCOMPARE(links.predecessors(core::SliceId(20), 8).at(0).slice, core::SliceId(10));
        QCOMPARE(links.successors(core::SliceId(10), 8).at(0).slice, core::SliceId(20));
        QCOMPARE(links.successors(core::SliceId(20), 8).at(0).kind, core::EdgeKind::HostOrder);
        QVERIFY(links.predecessors(core::SliceId(10), 8).empty());
        QVERIFY(!links.opOf(core::SliceId(11)));
    }

private:
    static std::shared_ptr<const ui::AreaTotals> totals()
    {
        auto totals = std::make_shared<ui::AreaTotals>();
        totals->range = { 0, 1000 };
        totals->names.push_back({ .name = QStringLiteral("f<a, \"b\">"),
                                  .role = core::Role::Forward,
                                  .count = 2,
                                  .sumNs = 500,
                                  .longestNs = 300 });
        totals->roles.push_back({ core::Role::Forward, 500 });
        totals->ranks.resize(2);
        return totals;
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestAreaTotals)
#include "tst_area_totals.moc"
