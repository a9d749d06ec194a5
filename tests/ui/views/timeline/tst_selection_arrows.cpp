#include "core/graph/graph_builder.h"
#include "tests/ui/timeline/fake_source.h"
#include "ui/views/timeline/selection_arrows.h"

#include <QTest>

#include <memory>

using namespace ui;

namespace {

/// A source whose slices 0, 1, ... follow each other on one track.
std::shared_ptr<tests::FakeSource> slices(int count)
{
    auto source = std::make_shared<tests::FakeSource>();
    const auto track = source->addTrack(QStringLiteral("rank 0"), {}, QStringLiteral("stream 7"),
                                        core::TrackKind::Stream);
    for (std::int64_t i = 0; i < count; ++i)
        source->add(track, i * 10, i * 10 + 10);
    return source;
}

core::OpId addOp(core::GraphBuilder &builder, core::DeviceId device, std::uint64_t slice)
{
    core::OpSpec spec;
    spec.device = device;
    spec.kind = core::OpKind::Compute;
    spec.slice = core::SliceId(slice);
    spec.measuredStartNs = static_cast<std::int64_t>(slice) * 10;
    spec.durationNs = 10;
    return builder.addOp(spec);
}

TimelineHit hit(const TimelineSource &source, std::uint64_t id)
{
    const auto found = source.find(id);
    return { found->first, found->second };
}

} // namespace

class TestSelectionArrows : public QObject
{
    Q_OBJECT

private slots:
    /// 40 ops lead to op 40, which leads to one: 32 arrows, among them the one that leads on.
    void manyDependenciesAreCounted()
    {
        core::GraphBuilder builder({ "" });
        const core::DeviceId device = builder.addDevice({});
        std::vector<core::OpId> before;
        for (std::uint64_t slice = 0; slice < 40; ++slice)
            before.push_back(addOp(builder, device, slice));
        const core::OpId op = addOp(builder, device, 40);
        for (const core::OpId other : before)
            builder.addEdge(other, op, core::EdgeKind::Sync);
        builder.addEdge(op, addOp(builder, device, 41), core::EdgeKind::StreamOrder);
        const GraphLinks links(std::make_shared<const core::Graph>(builder.build()));
        const auto source = slices(42);
        const SelectionArrows found = selectionArrows(hit(*source, 40), links, *source);
        QCOMPARE(found.arrows.size(), MostArrows);
        QCOMPARE(found.more, std::size_t { 9 });
        QCOMPARE(found.arrows[0].from.box.id, std::uint64_t { 39 }); // ended last
        QCOMPARE(found.arrows[0].kind, ArrowKind::ToSelection);
        QCOMPARE(found.arrows[1].to.box.id, std::uint64_t { 41 });
        QCOMPARE(found.arrows[1].kind, ArrowKind::FromSelection);
    }

    void aCollectivePointsToTheLastRank()
    {
        core::GraphBuilder builder({ "" });
        const core::DeviceId device = builder.addDevice({});
        core::OpSpec transfer;
        transfer.device = device;
        transfer.kind = core::OpKind::Communication;
        core::CollectiveNode node;
        node.transfer = node.arrival = builder.addOp(transfer);
        node.parts.push_back({ core::WorkerId(0), core::SliceId(0), 0, 30, node.transfer });
        node.parts.push_back({ core::WorkerId(1), core::SliceId(1), 10, 30, node.transfer });
        node.parts.push_back({ core::WorkerId(2), core::SliceId(2), 5, 30, node.transfer });
        builder.addCollective(std::move(node));
        const GraphLinks links(std::make_shared<const core::Graph>(builder.build()));
        const auto source = slices(3);
        const SelectionArrows ofEarly = selectionArrows(hit(*source, 0), links, *source);
        QCOMPARE(ofEarly.arrows.size(), std::size_t { 1 });
        QCOMPARE(ofEarly.arrows[0].kind, ArrowKind::LastRank);
        QCOMPARE(ofEarly.arrows[0].from.box.id, std::uint64_t { 1 });
        QCOMPARE(ofEarly.arrows[0].to.box.id, std::uint64_t { 0 });
        const SelectionArrows ofLast = selectionArrows(hit(*source, 1), links, *source);
        QCOMPARE(ofLast.arrows.size(), std::size_t { 2 }); // to both that waited
        QCOMPARE(ofLast.arrows[0].from.box.id, std::uint64_t { 1 });
    }

    void whatTheGraphDoesNotHoldHasNone()
    {
        core::GraphBuilder builder({ "" });
        addOp(builder, builder.addDevice({}), 7);
        const GraphLinks links(std::make_shared<const core::Graph>(builder.build()));
        const auto source = slices(3);
        QVERIFY(selectionArrows(hit(*source, 2), links, *source).arrows.empty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSelectionArrows)
#include "tst_selection_arrows.moc"
