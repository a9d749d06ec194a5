#include "core/analyze/rank_cells.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

class RankCellsTest : public QObject
{
    Q_OBJECT

private slots:
    void waitsAreRowsWhereTheyAreToldApart();
    void aColumnOfSeveralRanksShowsTheLargest();
};

void RankCellsTest::waitsAreRowsWhereTheyAreToldApart()
{
    SummaryData data;
    RankParts rank;
    rank.computeNs = 30;
    rank.memOnlyNs = 4;
    rank.exposedCommNs = 40;
    rank.exposedWaitNs = 25;
    rank.idleNs = 6;
    rank.lateNs = 7;
    data.ranks = { rank };
    QCOMPARE(rankRows(data).size(), std::size_t { 3 });
    data.hasWaits = true;
    const std::vector<RankRow> rows = rankRows(data);
    QCOMPARE(rows.size(), std::size_t { 5 });
    const std::vector<std::int64_t> expected { 34, 15, 25, 6, 7 };
    for (std::size_t i = 0; i < rows.size(); ++i)
        QCOMPARE(rows[i].ns, std::vector<std::int64_t> { expected[i] });
    QCOMPARE(wholeNsOf(data), 80);
    QCOMPARE(wholeNsOf({}), 1);
}

void RankCellsTest::aColumnOfSeveralRanksShowsTheLargest()
{
    const std::vector<std::int64_t> ns { 1, 9, 2, 3, 8, 4, 5 };
    QCOMPARE(inColumns(ns, 7), ns);
    QCOMPARE(inColumns(ns, 3), (std::vector<std::int64_t> { 9, 8, 5 }));
    QCOMPARE(inColumns({}, 3), std::vector<std::int64_t> {});
}

LONGPOLE_TEST(RankCellsTest)
#include "tst_rank_cells.moc"
