#include "core/graph/graph_builder.h"
#include "tests/ui/timeline/fake_source.h"
#include "ui/views/timeline/idle_gap.h"

#include <QTest>

#include <memory>

using namespace ui;

namespace {

/// Kernels 0 (0 to 100 us) and 1 (400 us to 1 ms) on a stream, a launch 2 (300 to 350 us) on the
/// host.
std::shared_ptr<tests::FakeSource> stream()
{
    auto source = std::make_shared<tests::FakeSource>();
    const auto device = source->addTrack(QStringLiteral("rank 0"), {}, QStringLiteral("stream 7"),
                                         core::TrackKind::Stream);
    const auto host = source->addTrack(QStringLiteral("rank 0"), {}, QStringLiteral("main"),
                                       core::TrackKind::HostThread);
    source->add(device, 0, 100'000);
    source->add(device, 400'000, 1'000'000);
    source->add(host, 300'000, 350'000);
    return source;
}

/// The second kernel waits for the first and for its launch, which ends at `launchEndNs`.
GraphLinks links(std::int64_t launchEndNs)
{
    core::GraphBuilder builder({ "" });
    const core::DeviceId device = builder.addDevice({});
    const auto add = [&](std::uint64_t slice, std::int64_t startNs, std::int64_t endNs) {
        core::OpSpec spec;
        spec.device = device;
        spec.slice = core::SliceId(slice);
        spec.measuredStartNs = startNs;
        spec.durationNs = endNs - startNs;
        return builder.addOp(spec);
    };
    const core::OpId first = add(0, 0, 100'000);
    const core::OpId launch = add(2, launchEndNs - 50'000, launchEndNs);
    const core::OpId second = add(1, 400'000, 1'000'000);
    builder.addEdge(first, second, core::EdgeKind::StreamOrder);
    builder.addEdge(launch, second, core::EdgeKind::Launch);
    return GraphLinks(std::make_shared<const core::Graph>(builder.build()));
}

} // namespace

class TestIdleGap : public QObject
{
    Q_OBJECT

private slots:
    void aGapIsBetweenTwoSlices()
    {
        const IdleGap gap = idleGap(*stream(), 0, 200'000);
        QCOMPARE(gap.range, (core::TimeRange { 100'000, 400'000 }));
        QCOMPARE(gap.before->id, std::uint64_t { 0 });
        QCOMPARE(gap.after->id, std::uint64_t { 1 });
    }

    void theLastToEndIsTheCause()
    {
        const IdleGap gap = idleGap(*stream(), 0, 200'000);
        const auto cause = causeOf(gap, links(350'000));
        QVERIFY(cause.has_value());
        QCOMPARE(cause->last.slice, core::SliceId(2));
        QCOMPARE(cause->endNs, std::int64_t { 350'000 });
        const QString why = whyIdle(gap, cause);
        QVERIFY(why.contains(QStringLiteral("launch")));
        QVERIFY(why.contains(QStringLiteral("250")));
        QVERIFY(why.contains(QStringLiteral("50.00")));
    }

    /// An op that ended after the slice began is none: the kernel itself waits for other ranks.
    void whatEndsLaterIsNoCause()
    {
        const IdleGap gap = idleGap(*stream(), 0, 200'000);
        const auto cause = causeOf(gap, links(450'000));
        QCOMPARE(cause->last.slice, core::SliceId(0));
        QVERIFY(whyIdle(gap, cause).contains(QStringLiteral("had ended before")));
    }

    /// Gloo's slice of an all-reduce ends a little after the thread that waits for it goes on.
    void aCollectiveIsTheCauseThoughRecordedLonger()
    {
        core::GraphBuilder builder({ "" });
        core::OpSpec spec;
        spec.device = builder.addDevice({});
        spec.slice = core::SliceId(0);
        spec.durationNs = 100'000;
        const core::OpId first = builder.addOp(spec);
        spec.slice = core::SliceId(1);
        spec.measuredStartNs = 400'000;
        const core::OpId second = builder.addOp(spec);
        spec.slice = core::NoSlice;
        spec.kind = core::OpKind::Communication;
        spec.measuredStartNs = 50'000;
        spec.durationNs = 360'000;
        core::CollectiveNode node;
        node.transfer = node.arrival = builder.addOp(spec);
        node.parts.push_back(
            { core::WorkerId(0), core::SliceId(2), 50'000, 410'000, node.transfer });
        builder.addEdge(first, second, core::EdgeKind::HostOrder);
        builder.addEdge(node.transfer, second, core::EdgeKind::Collective);
        builder.addCollective(std::move(node));
        const GraphLinks links(std::make_shared<const core::Graph>(builder.build()));

        const IdleGap gap = idleGap(*stream(), 0, 200'000);
        const auto cause = causeOf(gap, links);
        QVERIFY(cause.has_value());
        QCOMPARE(cause->last.slice, core::SliceId(2));
        const QString why = whyIdle(gap, cause);
        QVERIFY(why.startsWith(QStringLiteral("Waited 300")));
        QVERIFY(why.contains(QStringLiteral("collective")));
        QVERIFY(why.contains(QStringLiteral("10.00")));
    }

    void afterTheLastNothingIsRecorded()
    {
        const IdleGap gap = idleGap(*stream(), 1, 600'000);
        QVERIFY(!gap.after);
        QCOMPARE(gap.range, (core::TimeRange { 350'000, 1'000'000 }));
        QVERIFY(whyIdle(gap, causeOf(gap, links(350'000))).contains(QStringLiteral("Nothing")));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestIdleGap)
#include "tst_idle_gap.moc"
