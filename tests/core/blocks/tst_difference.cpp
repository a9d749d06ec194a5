#include "core/blocks/difference.h"

#include <QTest>

using namespace core;

/// Outlines made by hand: a lane for each rank, blocks from..to.
class TestDifference : public QObject
{
    Q_OBJECT

private slots:
    void whatIsTheSameIsNotMarked();
    void blocksAreAddedMovedAndRemoved();
    void seenFromBeforeBlocksAreRemoved();
    void theSecondOfANameIsComparedWithTheSecond();
    void ranksThatFoldDifferentlyAreComparedByRank();
    void aBlockHasACounterpartInTheOtherPicture();
};

namespace {

constexpr std::int64_t RangeNs = 1000;

Block block(const char *name, std::int64_t startNs, std::int64_t endNs)
{
    Block made;
    made.name = name;
    made.startNs = startNs;
    made.endNs = endNs;
    return made;
}

/// `blocks` by rank.
GraphOutline outline(const std::vector<std::vector<Block>> &blocks)
{
    GraphOutline made;
    made.range = { 0, RangeNs };
    for (std::uint32_t rank = 0; rank < blocks.size(); ++rank) {
        Lane lane;
        lane.name = "stream 7";
        lane.group = "rank " + std::to_string(rank);
        lane.worker = WorkerId(rank);
        made.lanes.push_back(lane);
        made.alike.standIn.push_back(rank);
        made.alike.groups.push_back({ WorkerId(rank) });
        made.outermost.emplace_back();
        for (Block one : blocks[rank]) {
            one.lane = rank;
            one.first = static_cast<std::uint32_t>(made.outermost.back().size());
            one.count = 1;
            made.outermost.back().push_back(one);
        }
    }
    return made;
}

/// The lanes that stand for themselves, a row each.
Drawing drawingBy(const GraphOutline &outline)
{
    Drawing made;
    made.width = static_cast<double>(RangeNs);
    for (std::uint32_t i = 0; i < outline.lanes.size(); ++i) {
        if (outline.alike.standIn[i] != i)
            continue;
        const Lane &lane = outline.lanes[i];
        made.lanes.push_back(
            { lane.name, lane.group, lane.kind, lane.worker, i, made.rowCount, 1 });
        for (const Block &one : outline.outermost[i]) {
            DrawnBlock drawn { one };
            drawn.row = made.rowCount;
            drawn.left = static_cast<double>(one.startNs);
            drawn.right = static_cast<double>(one.endNs);
            made.blocks.push_back(drawn);
        }
        ++made.rowCount;
    }
    return made;
}

/// Rank 1 is drawn by rank 0.
GraphOutline folded(GraphOutline made)
{
    made.alike.standIn[1] = 0;
    made.alike.groups = { { WorkerId(0), WorkerId(1) } };
    return made;
}

} // namespace

void TestDifference::whatIsTheSameIsNotMarked()
{
    const GraphOutline a = outline({ { block("forward", 0, 300), block("backward", 300, 900) } });
    // 4 of 1000 are less than 0.5 %.
    const GraphOutline b = outline({ { block("forward", 0, 304), block("backward", 304, 900) } });
    const DrawingDifference difference = differenceOf(a, b, drawingBy(b));
    QCOMPARE(difference.added + difference.moved + difference.removed, std::size_t(0));
    QVERIFY(difference.ghosts.empty());
}

void TestDifference::blocksAreAddedMovedAndRemoved()
{
    const GraphOutline a = outline({ { block("forward", 0, 300), block("gone", 300, 400) } });
    const GraphOutline b = outline({ { block("forward", 100, 400), block("new", 400, 500) } });
    const DrawingDifference difference = differenceOf(a, b, drawingBy(b));
    QCOMPARE(difference.changes,
             (std::vector<BlockChange> { BlockChange::Moved, BlockChange::Added }));
    QCOMPARE(difference.removed, std::size_t(1));
    QCOMPARE(difference.ghosts.size(), std::size_t(2));
    QCOMPARE(difference.ghosts[0].left, 0.0); // where forward was
    QVERIFY(!difference.ghosts[0].isRemoved);
    QCOMPARE(difference.ghosts[1].left, 300.0);
    QVERIFY(difference.ghosts[1].isRemoved);
}

void TestDifference::seenFromBeforeBlocksAreRemoved()
{
    const GraphOutline a = outline({ { block("forward", 0, 300), block("gone", 300, 400) } });
    const GraphOutline b = outline({ { block("forward", 100, 400), block("new", 400, 500) } });
    const DrawingDifference difference = differenceBefore(a, b, drawingBy(a));
    QCOMPARE(difference.changes,
             (std::vector<BlockChange> { BlockChange::Moved, BlockChange::Removed }));
    QCOMPARE(difference.removed, std::size_t(1));
    QCOMPARE(difference.added, std::size_t(1));
    QVERIFY(difference.ghosts.empty());
}

void TestDifference::theSecondOfANameIsComparedWithTheSecond()
{
    const GraphOutline a
        = outline({ { block("all_reduce", 0, 100), block("all_reduce", 200, 300) } });
    const GraphOutline b
        = outline({ { block("all_reduce", 0, 100), block("all_reduce", 400, 500) } });
    const DrawingDifference difference = differenceOf(a, b, drawingBy(b));
    QCOMPARE(difference.changes,
             (std::vector<BlockChange> { BlockChange::Same, BlockChange::Moved }));
}

/// A rank that was alike and is no longer read as added, and the group that it was in as removed.
void TestDifference::ranksThatFoldDifferentlyAreComparedByRank()
{
    const std::vector<Block> same { block("forward", 0, 300) };
    const GraphOutline alike = folded(outline({ same, same }));
    const GraphOutline apart = outline({ same, { block("forward", 100, 400) } });
    const DrawingDifference unfolding = differenceOf(alike, apart, drawingBy(apart));
    QCOMPARE(unfolding.changes,
             (std::vector<BlockChange> { BlockChange::Same, BlockChange::Moved }));
    QCOMPARE(unfolding.added + unfolding.removed, std::size_t(0));
    const DrawingDifference folding = differenceOf(apart, alike, drawingBy(alike));
    QCOMPARE(folding.changes, std::vector<BlockChange> { BlockChange::Same });
    QCOMPARE(folding.added + folding.removed, std::size_t(0));
}

void TestDifference::aBlockHasACounterpartInTheOtherPicture()
{
    const GraphOutline apart
        = outline({ { block("forward", 0, 300), block("new", 300, 400) },
                    { block("forward", 0, 300), block("forward", 400, 500) } });
    const GraphOutline alike
        = folded(outline({ { block("forward", 0, 300) }, { block("forward", 0, 300) } }));
    const Drawing from = drawingBy(apart), to = drawingBy(alike);
    const auto other = [&](std::uint32_t index) {
        return counterpartOf({ apart, from }, index, { alike, to });
    };
    QCOMPARE(other(0), std::optional<std::uint32_t>(0));
    QVERIFY(!other(1)); // nothing is called so
    QCOMPARE(other(2), std::optional<std::uint32_t>(0)); // drawn by rank 0
    QVERIFY(!other(3)); // there is no second one
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDifference)
#include "tst_difference.moc"
