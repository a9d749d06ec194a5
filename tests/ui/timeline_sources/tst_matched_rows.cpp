#include "ui/timeline_sources/matched_rows.h"

#include <QTest>

using namespace ui;

namespace {

TimelineTrack track(const char *group, const char *name, core::TrackKind kind,
                    std::uint32_t depths = 1)
{
    TimelineTrack one;
    one.group = QString::fromLatin1(group);
    one.name = QString::fromLatin1(name);
    one.kind = kind;
    one.depthCount = depths;
    return one;
}

constexpr auto Comm = core::TrackKind::Communication;
constexpr auto Host = core::TrackKind::HostThread;

/// "rank 0: slices (4)" by row, with its lines.
QStringList textOf(const MatchedRows &rows)
{
    QStringList lines;
    for (const TimelineTrack &row : rows.tracks)
        lines << QStringLiteral("%1: %2 (%3)").arg(row.group, row.name).arg(row.depthCount);
    return lines;
}

/// A box in each of its tracks; its id is the track.
class Boxes : public TimelineSource
{
public:
    explicit Boxes(std::vector<TimelineTrack> tracks)
        : m_tracks(std::move(tracks))
    {
    }
    const std::vector<TimelineTrack> &tracks() const override { return m_tracks; }
    core::TimeRange range() const override { return { 0, 10 }; }
    std::vector<TimelineBox> boxes(std::size_t track, core::TimeRange, std::int64_t) const override
    {
        return { boxOf(track) };
    }
    QString boxName(std::size_t track, std::uint64_t) const override
    {
        return m_tracks[track].name;
    }
    std::optional<std::pair<std::size_t, TimelineBox>> find(std::uint64_t id) const override
    {
        return std::pair(static_cast<std::size_t>(id), boxOf(id));
    }
    std::vector<std::uint64_t> criticalPath() const override { return { 1 }; }
    bool isPredicted() const override { return true; }

private:
    static TimelineBox boxOf(std::uint64_t id)
    {
        TimelineBox box;
        box.endNs = 10;
        box.id = id;
        return box;
    }
    std::vector<TimelineTrack> m_tracks;
};

} // namespace

class MatchedRowsTest : public QObject
{
    Q_OBJECT

private slots:
    void aRowIsAsHighAsTheDeeperOfBoth();
    void whatOnlyOneHasLeavesARowEmptyInTheOther();
    void twoThatOneTrackBecameHaveARowEach();
    void groupsThatOnlyOneHasKeepTheirPlace();
    void aSourceShowsItsTracksInTheRows();
};

/// Ops of a host thread stood in four lines above and in one below, so that what came after them
/// was at other heights.
void MatchedRowsTest::aRowIsAsHighAsTheDeeperOfBoth()
{
    const MatchedRows rows = matchRows(
        { track("rank 0", "slices", Comm), track("rank 0", "main", Host, 4) },
        { track("rank 0", "slices", Comm, 2), track("rank 0", "main", Host) }, { 0, 1 });
    QCOMPARE(
        textOf(rows),
        QStringList({ QStringLiteral("rank 0: slices (2)"), QStringLiteral("rank 0: main (4)") }));
    QVERIFY(rows.ofMeasured == rows.ofPredicted);
}

void MatchedRowsTest::whatOnlyOneHasLeavesARowEmptyInTheOther()
{
    const MatchedRows rows
        = matchRows({ track("rank 0", "gloo", Comm), track("rank 0", "main", Host),
                      track("rank 1", "gloo", Comm) },
                    { track("rank 0", "sends", Comm), track("rank 0", "main", Host),
                      track("rank 0", "updates", Host), track("rank 1", "gloo", Comm) },
                    { std::nullopt, 1, std::nullopt, 2 });
    QCOMPARE(
        textOf(rows),
        QStringList({ QStringLiteral("rank 0: gloo (1)"), QStringLiteral("rank 0: sends (1)"),
                      QStringLiteral("rank 0: main (1)"), QStringLiteral("rank 0: updates (1)"),
                      QStringLiteral("rank 1: gloo (1)") }));
    const std::vector<std::optional<std::size_t>> measured { 0, std::nullopt, 1, std::nullopt, 2 };
    const std::vector<std::optional<std::size_t>> predicted { std::nullopt, 0, 1, 2, 3 };
    QVERIFY(rows.ofMeasured == measured);
    QVERIFY(rows.ofPredicted == predicted);
}

/// A host thread that runs collectives itself is a thread and a backend in the graph: what one of
/// them does had no row.
void MatchedRowsTest::twoThatOneTrackBecameHaveARowEach()
{
    const MatchedRows rows
        = matchRows({ track("rank 0", "main", Host), track("rank 0", "updates", Host) },
                    { track("rank 0", "main", Comm), track("rank 0", "main", Host) }, { 0, 0 });
    QCOMPARE(rows.tracks.size(), std::size_t { 3 });
    const std::vector<std::optional<std::size_t>> measured { 0, 1, std::nullopt };
    const std::vector<std::optional<std::size_t>> predicted { 0, std::nullopt, 1 };
    QVERIFY(rows.ofMeasured == measured);
    QVERIFY(rows.ofPredicted == predicted);
}

void MatchedRowsTest::groupsThatOnlyOneHasKeepTheirPlace()
{
    const MatchedRows rows = matchRows(
        { track("rank 0", "idle", Host), track("rank 1", "main", Host) },
        { track("rank 1", "main", Host), track("server 0", "link", Comm) }, { 1, std::nullopt });
    QCOMPARE(textOf(rows),
             QStringList({ QStringLiteral("rank 0: idle (1)"), QStringLiteral("rank 1: main (1)"),
                           QStringLiteral("server 0: link (1)") }));
}

void MatchedRowsTest::aSourceShowsItsTracksInTheRows()
{
    const std::vector<TimelineTrack> own { track("rank 0", "gloo", Comm),
                                           track("rank 0", "main", Host) };
    const std::vector<TimelineTrack> rows { own[0], track("rank 0", "sends", Comm), own[1] };
    const SourceInRows source(std::make_shared<const Boxes>(own), rows, { 0, std::nullopt, 1 });
    QCOMPARE(source.tracks().size(), std::size_t { 3 });
    QVERIFY(source.boxes(1, { 0, 10 }, 1).empty());
    QCOMPARE(source.boxes(2, { 0, 10 }, 1).front().id, std::uint64_t { 1 });
    QCOMPARE(source.boxName(2, 1), QStringLiteral("main"));
    QCOMPARE(source.find(1)->first, std::size_t { 2 });
    QVERIFY(source.isPredicted() && source.range().endNs == 10);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(MatchedRowsTest)
#include "tst_matched_rows.moc"
