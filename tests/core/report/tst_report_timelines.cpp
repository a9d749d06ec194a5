#include "core/report/report_timelines.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

namespace {

/// Two ranks of two lanes and a row each; the path goes through both.
Drawing twoRanks()
{
    Drawing drawing;
    drawing.width = 100;
    drawing.rowCount = 4;
    for (std::uint32_t row = 0; row < drawing.rowCount; ++row) {
        DrawnLane lane;
        lane.group = row < 2 ? "rank 0" : "rank 1";
        lane.name = "lane " + std::to_string(row);
        lane.firstRow = row;
        drawing.lanes.push_back(lane);
        DrawnBlock block;
        block.row = row;
        block.right = 10;
        drawing.blocks.push_back(block);
    }
    drawing.links = { { 0, 1 }, { 1, 2 }, { 2, 3 } };
    drawing.path = { { 2, 0, 5 }, { 0, 5, 6 }, { 3, 6, 9 }, { 2, 9, 10 } };
    return drawing;
}

} // namespace

class ReportTimelinesTest : public QObject
{
    Q_OBJECT

private slots:
    void aPartHasItsLanesAlone();
    void theFewestThatATimelineNeedsIsItsFirstRank();
};

void ReportTimelinesTest::aPartHasItsLanesAlone()
{
    const Drawing part = lanesOf(twoRanks(), 2, 4);
    QCOMPARE(part.lanes.size(), std::size_t(2));
    QCOMPARE(part.lanes.front().name, std::string("lane 2"));
    QCOMPARE(part.lanes.front().firstRow, 0U);
    QCOMPARE(part.rowCount, 2U);
    QCOMPARE(part.blocks.size(), std::size_t(2));
    QCOMPARE(part.blocks.back().row, 1U);
    QCOMPARE(part.links.size(), std::size_t(1)); // the link between ranks has no other end
    QCOMPARE(part.links.front().from, 0U);
    QCOMPARE(part.path.size(), std::size_t(3));
    QVERIFY(!part.path[0].continues); // rank 0 is between it and the next step
    QVERIFY(part.path[1].continues);
    QCOMPARE(part.path[2].block, 0U);
    QCOMPARE(part.width, 100.0);
}

void ReportTimelinesTest::theFewestThatATimelineNeedsIsItsFirstRank()
{
    std::vector<ReportTimeline> one(1);
    one.front().drawing = twoRanks();
    const double two = leastHeight(one); // two groups stay together
    for (int copy = 2; copy < 6; ++copy)
        for (std::uint32_t i = 0; i < 2; ++i) {
            DrawnLane lane = one.front().drawing.lanes[i];
            lane.group = "rank " + std::to_string(copy);
            lane.firstRow = one.front().drawing.rowCount++;
            one.front().drawing.lanes.push_back(lane);
        }
    QVERIFY(leastHeight(one) < two);
    one.push_back(one.front()); // beside each other on one page
    QVERIFY(leastHeight(one) > 2 * two);
}

LONGPOLE_TEST(ReportTimelinesTest)
#include "tst_report_timelines.moc"
