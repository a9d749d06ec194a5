#include "core/project/write/pyramid.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace core;

namespace {

struct Level
{
    std::int64_t widthNs = 0;
    std::vector<LevelBin> bins;
};

/// Plans and builds the levels of a track, as the project's writer does.
std::vector<Level> levelsOf(const std::vector<LevelSlice> &slices)
{
    TimeRange range { slices.front().startNs, slices.front().endNs };
    DurationCounts durations;
    for (const LevelSlice &slice : slices) {
        range.endNs = std::max(range.endNs, slice.endNs);
        durations.add(slice.endNs - slice.startNs);
    }
    LevelPlanner planner(range, durations.medianAtLeastNs());
    for (const LevelSlice &slice : slices)
        planner.add(slice.startNs, slice.endNs, slice.depth);
    std::vector<Level> levels;
    for (const std::int64_t widthNs : planner.widthsNs()) {
        Level &level = levels.emplace_back();
        level.widthNs = widthNs;
        const LevelBuilder::Take take = [&](const LevelBin &bin) { level.bins.push_back(bin); };
        LevelBuilder builder(widthNs);
        for (const LevelSlice &slice : slices)
            builder.add(slice, take);
        builder.finish(take);
    }
    return levels;
}

LevelSlice slice(std::uint64_t row, std::int64_t startNs, std::int64_t durationNs,
                 std::uint8_t depth = 0)
{
    return { startNs, startNs + durationNs, row, Category::Kernel, Phase::None, depth };
}

/// Nested three deep, with pauses and now and then a long one.
std::vector<LevelSlice> randomSlices(std::size_t count)
{
    std::mt19937_64 random(5);
    std::vector<LevelSlice> slices;
    std::int64_t nowNs = 1'700'000'000'000'000'000;
    for (std::size_t i = 0; i < count; ++i) {
        const auto durationNs = static_cast<std::int64_t>(random() % 5'000);
        slices.push_back(slice(i, nowNs, random() % 200 == 0 ? durationNs * 1000 : durationNs,
                               static_cast<std::uint8_t>(random() % 3)));
        nowNs += static_cast<std::int64_t>(random() % 4'000);
    }
    return slices;
}

} // namespace

class TestPyramid : public QObject
{
    Q_OBJECT
private slots:
    void neighboursMergeUpToTheWidth();
    void smallTracksHaveNoLevels();
    void everyLevelHoldsEverySlice();
    void manySlicesAtOnceAreBoundedInMemory();
};

void TestPyramid::neighboursMergeUpToTheWidth()
{
    std::vector<LevelSlice> slices; // of 60 ns every 100 ns, one of them longer
    for (std::uint64_t i = 0; i < 10'000; ++i)
        slices.push_back(slice(i, static_cast<std::int64_t>(i) * 100, i == 4'000 ? 61 : 60));
    slices[4'000].category = Category::CommKernel;
    const std::vector<Level> levels = levelsOf(slices);
    QCOMPARE(levels.size(), 2U); // 256 ns hold 2 slices, 512 ns 5
    QCOMPARE(levels[0].bins.size(), 5'000U);
    QCOMPARE(levels[1].bins.size(), 2'000U);
    for (const Level &level : levels) {
        std::int64_t busyNs = 0;
        for (const LevelBin &bin : level.bins) {
            busyNs += bin.busyNs;
            const bool holdsLongest = bin.startNs <= 400'000 && bin.endNs > 400'000;
            QCOMPARE(bin.longest == 4'000, holdsLongest);
            QCOMPARE(bin.category, holdsLongest ? Category::CommKernel : Category::Kernel);
        }
        QCOMPARE(busyNs, 600'001);
    }
}

void TestPyramid::smallTracksHaveNoLevels()
{
    QVERIFY(levelsOf(randomSlices(TopLevelBins)).empty());
}

void TestPyramid::everyLevelHoldsEverySlice()
{
    const auto slices = randomSlices(100'000);
    const std::vector<Level> levels = levelsOf(slices);
    QVERIFY(levels.size() > 2);
    std::size_t binsBelow = slices.size();
    for (const Level &level : levels) {
        QVERIFY(level.bins.size() <= binsBelow / 2);
        binsBelow = level.bins.size();
        std::uint64_t count = 0;
        std::int64_t lastStartNs = level.bins.front().startNs;
        for (const LevelBin &bin : level.bins) {
            QVERIFY(bin.count == 1 || bin.endNs - bin.startNs <= level.widthNs);
            QVERIFY(bin.busyNs <= bin.endNs - bin.startNs);
            QVERIFY(bin.startNs >= lastStartNs);
            QCOMPARE(slices[bin.longest].depth, bin.depth);
            lastStartNs = bin.startNs;
            count += bin.count;
        }
        QCOMPARE(count, 100'000U);
    }
    QVERIFY(binsBelow <= TopLevelBins);
}

/// All begin at once and at depths of their own: a bin of the first would wait for all others.
void TestPyramid::manySlicesAtOnceAreBoundedInMemory()
{
    LevelBuilder builder(256);
    std::uint64_t count = 0;
    const LevelBuilder::Take take = [&](const LevelBin &bin) { count += bin.count; };
    builder.add(slice(0, 1000, 10, 0), take);
    for (std::uint64_t i = 1; i <= 200'000; ++i)
        builder.add(slice(i, 1000, 1'000'000, 255), take);
    QVERIFY(count > 100'000);
    builder.add(slice(200'001, 1100, 10, 0), take);
    builder.finish(take);
    QCOMPARE(count, 200'002U);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestPyramid)
#include "tst_pyramid.moc"
