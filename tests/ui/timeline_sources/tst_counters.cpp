#include "ui/timeline_sources/counters.h"

#include <QTest>

#include <memory>
#include <vector>

using namespace ui;

namespace {

core::LinkUse use(const char *name, std::vector<core::UseStep> steps)
{
    core::LinkUse made;
    made.name = name;
    made.steps = std::move(steps);
    return made;
}

double integral(const std::vector<CounterPoint> &points)
{
    double sum = 0;
    for (const CounterPoint &point : points)
        sum += point.mean * static_cast<double>(point.endNs - point.startNs);
    return sum;
}

/// A source of one track without boxes.
class OneTrack : public TimelineSource
{
public:
    const std::vector<TimelineTrack> &tracks() const override { return m_tracks; }
    core::TimeRange range() const override { return { 0, 1000 }; }
    std::vector<TimelineBox> boxes(std::size_t, core::TimeRange, std::int64_t) const override
    {
        return { TimelineBox {} };
    }
    QString boxName(std::size_t, std::uint64_t) const override { return QStringLiteral("op"); }
    std::optional<std::pair<std::size_t, TimelineBox>> find(std::uint64_t) const override
    {
        return std::nullopt;
    }
    std::vector<std::uint64_t> criticalPath() const override { return {}; }
    bool isPredicted() const override { return false; }

private:
    std::vector<TimelineTrack> m_tracks {
        { QStringLiteral("stream 7"), QStringLiteral("rank 0"), {} }
    };
};

} // namespace

class TestCounters : public QObject
{
    Q_OBJECT

private slots:
    void aLinkIsACounterUpToItsCapacity()
    {
        core::LinkUse network
            = use("network", { { 0, 4e9 }, { 100, 0 }, { 200, 2e9 }, { 300, 0 } });
        network.capacity = 5e9;
        const Counters counters = linkCounters({ network }, {});
        const TimelineCounter &counter = *counters.tracks.at(0).counter;
        QCOMPARE(counters.tracks[0].name, QStringLiteral("network"));
        QCOMPARE(counter.unit, CounterUnit::BytesPerSec);
        QCOMPARE(counter.maximum, 4e9);
        QCOMPARE(counter.top, 5e9);
        QCOMPARE(counters.levels[0].read({ 0, 1000 }, 1).size(), std::size_t { 2 });
        QCOMPARE(counters.levels[0].read({ 100, 200 }, 1).size(), std::size_t { 0 });
    }

    void withoutSizesTheNameSaysThatItIsABusyShare()
    {
        core::LinkUse network = use("network", { { 0, 1 }, { 100, 0 } });
        network.isBusyShare = true;
        const Counters counters = linkCounters({ network }, {});
        QCOMPARE(counters.tracks.at(0).name, QStringLiteral("network (busy share)"));
        QCOMPARE(counters.tracks[0].counter->unit, CounterUnit::Share);
        QCOMPARE(counters.tracks[0].counter->top, 1.0);
    }

    /// A quarter of a million pieces: a screen reads few of them, and their integral stays.
    void coarserLevelsKeepTheIntegralAndTheMaximum()
    {
        std::vector<CounterPoint> points;
        for (std::int64_t i = 0; i < 250'000; ++i)
            points.push_back(
                { i * 400, i * 400 + 300, i == 777 ? 9.0 : 1.0, i == 777 ? 9.0 : 1.0 });
        const CounterLevels levels(points);
        const core::TimeRange all { 0, 100'000'000 };
        for (const std::int64_t resolutionNs : { 1'000, 10'000, 100'000 }) {
            const std::vector<CounterPoint> read = levels.read(all, resolutionNs);
            QVERIFY(static_cast<std::int64_t>(read.size())
                    < std::max<std::int64_t>(2000, 8 * all.durationNs() / resolutionNs));
            QVERIFY(qAbs(integral(read) / integral(points) - 1) < 1e-9);
            double highest = 0;
            for (const CounterPoint &point : read)
                highest = std::max(highest, point.maximum);
            QCOMPARE(highest, 9.0);
        }
    }

    void countersStandBehindTheSourcesOwnTracks()
    {
        SourceWithCounters source(std::make_shared<const OneTrack>());
        QCOMPARE(source.tracks().size(), std::size_t { 1 });
        source.setCounters(std::make_shared<const Counters>(
            linkCounters({ use("network", { { 0, 4 }, { 100, 0 } }) }, {})));
        QCOMPARE(source.tracks().size(), std::size_t { 2 });
        QCOMPARE(source.boxes(0, { 0, 10 }, 1).size(), std::size_t { 1 });
        QVERIFY(source.boxes(1, { 0, 10 }, 1).empty());
        QVERIFY(source.counterPoints(0, { 0, 10 }, 1).empty());
        QCOMPARE(source.counterPoints(1, { 0, 10 }, 1).size(), std::size_t { 1 });
        source.setCounters(nullptr);
        QCOMPARE(source.tracks().size(), std::size_t { 1 });
    }

    void memoryHasItsPeakMarkedBelowTheTop()
    {
        core::MemoryCurve curve;
        curve.steps = { { 0, 4096 }, { 100, 8192 }, { 200, 1024 } };
        curve.peak = { 100, 8192 };
        Counters counters = linkCounters({ use("network", { { 0, 4 }, { 100, 0 } }) }, {});
        append(counters, memoryCounters({ { QStringLiteral("rank 0 GPU 0"), curve } }, {}));
        QCOMPARE(counters.tracks.size(), std::size_t { 2 });
        QCOMPARE(counters.levels.size(), std::size_t { 2 });
        const TimelineCounter &counter = *counters.tracks[1].counter;
        QCOMPARE(counter.unit, CounterUnit::Bytes);
        QCOMPARE(counter.maximum, 8192.0);
        QVERIFY(counter.top > 8192);
        QCOMPARE(counter.peakNs, std::optional<std::int64_t>(100));
        QVERIFY(counters.tracks[0].group != counters.tracks[1].group);
    }

    void twoTimelinesHaveOneScale()
    {
        MatchedRows rows;
        rows.tracks.resize(3);
        rows.ofMeasured = { 0, 1, std::nullopt };
        rows.ofPredicted = { 0, std::nullopt, 1 };
        const Counters above = linkCounters(
            { use("network", { { 0, 4 }, { 100, 0 } }), use("gone", { { 0, 1 }, { 100, 0 } }) },
            {});
        const Counters below = linkCounters(
            { use("network", { { 0, 6 }, { 100, 0 } }), use("new", { { 0, 2 }, { 100, 0 } }) }, {});
        addCounterRows(rows, above, 2, below, 2);
        QCOMPARE(rows.tracks.size(), std::size_t { 6 });
        QCOMPARE(rows.tracks[3].counter->top, 6.0);
        QCOMPARE(rows.ofMeasured[3], std::optional<std::size_t>(2));
        QCOMPARE(rows.ofPredicted[3], std::optional<std::size_t>(2));
        QCOMPARE(rows.ofMeasured[4], std::optional<std::size_t>(3));
        QVERIFY(!rows.ofPredicted[4]);
        QVERIFY(!rows.ofMeasured[5]);
        QCOMPARE(rows.ofPredicted[5], std::optional<std::size_t>(3));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCounters)
#include "tst_counters.moc"
