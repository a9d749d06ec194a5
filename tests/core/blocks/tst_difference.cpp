#include "core/blocks/difference.h"

#include <QTest>

using namespace core;

/// Drawings made by hand: one lane, blocks from..to.
class TestDifference : public QObject
{
    Q_OBJECT

private slots:
    void whatIsTheSameIsNotMarked();
    void blocksAreAddedMovedAndRemoved();
    void theSecondOfANameIsComparedWithTheSecond();
};

namespace {

DrawnBlock block(const char *name, double left, double right)
{
    DrawnBlock made;
    made.name = name;
    made.left = left;
    made.right = right;
    return made;
}

Drawing drawing(std::vector<DrawnBlock> blocks)
{
    Drawing made;
    made.width = 1000;
    made.rowCount = 1;
    made.lanes.emplace_back();
    made.blocks = std::move(blocks);
    return made;
}

} // namespace

void TestDifference::whatIsTheSameIsNotMarked()
{
    const Drawing a = drawing({ block("forward", 0, 300), block("backward", 300, 900) });
    // 4 of 1000 are less than 0.5 %.
    const Drawing b = drawing({ block("forward", 0, 304), block("backward", 304, 900) });
    const DrawingDifference difference = differenceOf(a, b);
    QCOMPARE(difference.added + difference.moved + difference.removed, std::size_t(0));
    QVERIFY(difference.ghosts.empty());
}

void TestDifference::blocksAreAddedMovedAndRemoved()
{
    const Drawing a = drawing({ block("forward", 0, 300), block("gone", 300, 400) });
    const Drawing b = drawing({ block("forward", 100, 400), block("new", 400, 500) });
    const DrawingDifference difference = differenceOf(a, b);
    QCOMPARE(difference.changes,
             (std::vector<BlockChange> { BlockChange::Moved, BlockChange::Added }));
    QCOMPARE(difference.removed, std::size_t(1));
    QCOMPARE(difference.ghosts.size(), std::size_t(2));
    QCOMPARE(difference.ghosts[0].left, 0.0); // where forward was
    QVERIFY(!difference.ghosts[0].isRemoved);
    QCOMPARE(difference.ghosts[1].left, 300.0);
    QVERIFY(difference.ghosts[1].isRemoved);
}

void TestDifference::theSecondOfANameIsComparedWithTheSecond()
{
    const Drawing a = drawing({ block("all_reduce", 0, 100), block("all_reduce", 200, 300) });
    const Drawing b = drawing({ block("all_reduce", 0, 100), block("all_reduce", 400, 500) });
    const DrawingDifference difference = differenceOf(a, b);
    QCOMPARE(difference.changes,
             (std::vector<BlockChange> { BlockChange::Same, BlockChange::Moved }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDifference)
#include "tst_difference.moc"
