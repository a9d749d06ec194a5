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

/// A timeline of ranks with two lanes each.
ReportTimeline timelineOf(int ranks)
{
    ReportTimeline made { "an iteration", twoRanks(), 100 };
    for (int rank = 2; rank < ranks; ++rank)
        for (std::uint32_t i = 0; i < 2; ++i) {
            DrawnLane lane = made.drawing.lanes[i];
            lane.group = "rank " + std::to_string(rank);
            lane.firstRow = made.drawing.rowCount++;
            made.drawing.lanes.push_back(lane);
        }
    return made;
}

} // namespace

class ReportTimelinesTest : public QObject
{
    Q_OBJECT

private slots:
    void aPartHasItsLanesAlone();
    void theFewestThatATimelineNeedsIsItsFirstRank();
    void nothingStandsAloneOnAPage();
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
    std::vector<ReportTimeline> one { timelineOf(2) };
    const double two = leastHeight(one); // two groups stay together
    one.front() = timelineOf(6);
    QVERIFY(leastHeight(one) < two);
    one.push_back(one.front()); // beside each other on one page
    QVERIFY(leastHeight(one) > 2 * two && leastHeight(one) < ReportPages::fullRoom());
}

/// The heading stood at the end of a page and the caption alone on the last one.
void ReportTimelinesTest::nothingStandsAloneOnAPage()
{
    for (const int ranks : { 2, 3, 4, 6, 8, 10, 14, 20, 40 })
        for (const std::size_t count : { 1, 2 })
            for (double above = 0; above < ReportPages::fullRoom(); above += 90) {
                ReportPages pages;
                pages.skip(above);
                drawTimelines(pages, std::vector(count, timelineOf(ranks)), "the caption");
                const std::vector<std::string> all = pages.finish("footer");
                QVERIFY(all.size() <= 3);
                for (const std::string &page : all) {
                    const bool hasPicture = page.find(">an iteration") != std::string::npos;
                    QVERIFY(hasPicture || page.find(">Timeline<") == std::string::npos);
                    QVERIFY(hasPicture || page.find("the caption") == std::string::npos);
                }
            }
}

LONGPOLE_TEST(ReportTimelinesTest)
#include "tst_report_timelines.moc"
