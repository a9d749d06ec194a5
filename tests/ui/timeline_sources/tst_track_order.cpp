#include "ui/timeline_sources/track_order.h"

#include <QTest>

using namespace ui;

class TrackOrderTest : public QObject
{
    Q_OBJECT

private slots:
    void aRankWithoutACommonClockIsMarked()
    {
        core::ProjectInfo info;
        for (std::uint32_t w = 0; w < 3; ++w) {
            core::Worker worker;
            worker.id = core::WorkerId(w);
            worker.rank = static_cast<int>(w) + 4;
            worker.host = w == 0 ? "" : "node" + std::to_string(w);
            info.workers.push_back(worker);
            core::Alignment clock;
            clock.worker = worker.id;
            clock.isReference = w == 0;
            clock.isKnown = w < 2;
            clock.offsetNs = 7 * w;
            info.alignment.workers.push_back(clock);
        }
        QCOMPARE(orderTracks(info).groups,
                 (std::vector<QString> {
                     QStringLiteral("rank 4"), QStringLiteral("rank 5 \u00b7 node1"),
                     QStringLiteral("rank 6 \u00b7 no common clock with rank 4 \u00b7 node2") }));
        info.alignment = {}; // not solved yet
        QCOMPARE(orderTracks(info).groups[2], QStringLiteral("rank 6 \u00b7 node2"));
    }

    void tracksOnWhichNextToNothingHappensAreMinorAndLast()
    {
        core::ProjectInfo info;
        info.workers.emplace_back().id = core::WorkerId(0);
        const auto add = [&info](core::TrackKind kind, std::uint64_t slices, std::int64_t ns) {
            core::Track &track = info.tracks.emplace_back();
            track.id = core::TrackId(static_cast<std::uint32_t>(info.tracks.size() - 1));
            track.worker = core::WorkerId(0);
            track.kind = kind;
            track.sliceCount = slices;
            track.range = { 0, ns };
        };
        add(core::TrackKind::Annotation, 1, 1'000'000); // a profiler's span
        add(core::TrackKind::HostThread, 200, 9'999); // under 1 % of the longest
        add(core::TrackKind::HostThread, 3, 10'000);
        add(core::TrackKind::HostThread, 5000, 1'000'000);
        add(core::TrackKind::Stream, 1, 10);
        add(core::TrackKind::Annotation, 2, 10);
        const OrderedTracks ordered = orderTracks(info);
        std::vector<std::uint32_t> ids;
        std::vector<bool> isMinor;
        for (std::size_t i = 0; i < ordered.ids.size(); ++i) {
            ids.push_back(ordered.ids[i].value);
            isMinor.push_back(ordered.tracks[i].isMinor);
        }
        QCOMPARE(ids, (std::vector<std::uint32_t> { 4, 3, 2, 5, 1, 0 }));
        QCOMPARE(isMinor, (std::vector<bool> { false, false, false, false, true, true }));
        QCOMPARE(ordered.tracks[4].subgroup, ordered.tracks[5].subgroup);
    }

    /// Streams of an XPU stood under "GPU 0".
    void devicesAreCalledAsTheTraceCallsThem()
    {
        core::ProjectInfo info;
        info.accelerators = { "XPU", "GPU" };
        for (std::uint32_t w = 0; w < 2; ++w) {
            core::Worker &worker = info.workers.emplace_back();
            worker.id = core::WorkerId(w);
            worker.rank = static_cast<int>(w);
            core::Track &track = info.tracks.emplace_back();
            track.id = core::TrackId(w);
            track.worker = worker.id;
            track.kind = core::TrackKind::Stream;
            track.device = 3;
            track.sliceCount = 1;
        }
        const OrderedTracks ordered = orderTracks(info);
        QCOMPARE(ordered.tracks[0].subgroup, QStringLiteral("XPU 3"));
        QCOMPARE(ordered.tracks[1].subgroup, QStringLiteral("GPU 3"));
    }

    void phasesColourADeviceAndNotTheThreadBesideIt()
    {
        using core::Role;
        using core::TrackKind;
        QCOMPARE(roleOnTrack(TrackKind::HostThread, true, Role::Forward), Role::Host);
        QCOMPARE(roleOnTrack(TrackKind::HostThread, false, Role::Forward), Role::Forward);
        QCOMPARE(roleOnTrack(TrackKind::Stream, true, Role::Backward), Role::Backward);
        QCOMPARE(roleOnTrack(TrackKind::HostThread, true, Role::Input), Role::Input);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TrackOrderTest)
#include "tst_track_order.moc"
