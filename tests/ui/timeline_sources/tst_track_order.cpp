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
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TrackOrderTest)
#include "tst_track_order.moc"
