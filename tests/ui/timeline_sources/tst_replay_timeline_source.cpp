#include "core/graph/graph_builder.h"
#include "ui/timeline_sources/replay_timeline_source.h"

#include <QTest>

using namespace ui;

namespace {

constexpr std::int64_t OpNs = 100;

/// Two ranks that compute, and the ends of a link on rank 1 and on two parameter servers, each with
/// one op.
std::shared_ptr<const core::Prediction> sentToServers()
{
    core::GraphBuilder builder(std::vector<std::string> {});
    core::Device link;
    link.name = "network";
    link.isLink = true;
    const core::DeviceId whole = builder.addDevice(link);
    const auto addOp = [&builder](const core::Device &device) {
        core::OpSpec op;
        op.name = builder.intern("op on " + device.name);
        op.kind = device.partOf ? core::OpKind::Communication : core::OpKind::Compute;
        op.device = builder.addDevice(device);
        op.worker = device.worker;
        op.durationNs = OpNs;
        builder.addOp(op);
    };
    const auto addEnd
        = [&](const std::string &name, std::optional<std::uint32_t> server, std::uint32_t worker) {
              core::Device end = link;
              end.name = name;
              end.partOf = whole;
              end.server = server;
              end.worker = core::WorkerId(worker);
              addOp(end);
          };
    addEnd("network, several > server 1", 1, 0);
    addEnd("network, several > server 0", 0, 0);
    addEnd("network, 1 > several", std::nullopt, 1);
    for (const std::uint32_t worker : { 0U, 1U }) {
        core::Device thread;
        thread.name = "thread";
        thread.worker = core::WorkerId(worker);
        addOp(thread);
    }
    auto graph = std::make_shared<core::Graph>(builder.build());
    auto replay = std::make_shared<core::ReplayResult>();
    replay->startNs.assign(graph->size(), 0);
    replay->endNs.assign(graph->size(), OpNs);
    replay->makespanNs = OpNs;
    auto result = std::make_shared<core::Prediction>();
    result->graph = std::move(graph);
    result->replay = std::move(replay);
    return result;
}

std::vector<core::Worker> twoRanks()
{
    std::vector<core::Worker> ranks(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        ranks[i].id = core::WorkerId(i);
        ranks[i].rank = static_cast<int>(i);
    }
    return ranks;
}

OrderedTracks twoGroups()
{
    OrderedTracks measured;
    measured.groups = { QStringLiteral("rank 0"), QStringLiteral("rank 1") };
    measured.accelerators = { QStringLiteral("XPU"), QStringLiteral("XPU") };
    return measured;
}

} // namespace

class TestReplayTimelineSource : public QObject
{
    Q_OBJECT

private slots:
    void aParameterServersEndsAreNoRanks();
    void aCollectiveGoesToAThreadThatIsFree();
    void soDoesOneThatWaitsForOtherRanks();
    void itStopsWhenItIsCancelled();
};

/// Both servers' ends were rows of rank 0.
void TestReplayTimelineSource::aParameterServersEndsAreNoRanks()
{
    const ReplayTimelineSource source(sentToServers(), twoRanks(), twoGroups(), {});
    QStringList rows;
    for (const TimelineTrack &track : source.tracks())
        rows << track.group + QStringLiteral(": ") + track.name;
    QCOMPARE(rows,
             QStringList(
                 { QStringLiteral("rank 0: thread"), QStringLiteral("rank 1: network, 1 > several"),
                   QStringLiteral("rank 1: thread"),
                   QStringLiteral("server 0 (parameter server): network, several > server 0"),
                   QStringLiteral("server 1 (parameter server): network, several > server 1") }));
}

/// Collectives of one thread that overlap in the replay made its row twice as high, though another
/// thread had nothing to do, as when new buckets are all handed to the first one.
void TestReplayTimelineSource::aCollectiveGoesToAThreadThatIsFree()
{
    core::GraphBuilder builder(std::vector<std::string> {});
    core::Device thread;
    thread.isBackend = true;
    const core::DeviceId first = builder.addDevice(thread);
    builder.addDevice(thread);
    auto replay = std::make_shared<core::ReplayResult>();
    const auto addOp = [&](core::DeviceId device, std::int64_t startNs) {
        core::OpSpec op;
        op.name = builder.intern("all_reduce");
        op.kind = core::OpKind::Communication;
        op.device = device;
        replay->startNs.push_back(startNs);
        replay->endNs.push_back(startNs + OpNs);
        return builder.addOp(op);
    };
    addOp(first, 0);
    const core::OpId overlapping = addOp(first, OpNs / 2);
    const core::OpId next = addOp(first, OpNs); // the first is free again
    const core::OpId third = addOp(first, OpNs + OpNs / 2); // as is the second
    auto result = std::make_shared<core::Prediction>();
    result->graph = std::make_shared<const core::Graph>(builder.build());
    replay->makespanNs = 6 * OpNs;
    result->replay = std::move(replay);
    const ReplayTimelineSource source(std::move(result), twoRanks(), twoGroups(), {});
    QCOMPARE(source.tracks().size(), std::size_t { 2 });
    for (const TimelineTrack &track : source.tracks())
        QCOMPARE(track.depthCount, 1U);
    QCOMPARE(source.find(overlapping.value)->first, std::size_t { 1 });
    QCOMPARE(source.find(next.value)->first, std::size_t { 0 });
    QCOMPARE(source.find(third.value)->first, std::size_t { 1 });
    QCOMPARE(source.boxes(1, source.range(), 1).size(), std::size_t { 2 });
}

/// It was drawn behind the one that its own thread was busy with, as that ends before the last rank
/// comes.
void TestReplayTimelineSource::soDoesOneThatWaitsForOtherRanks()
{
    core::GraphBuilder builder(std::vector<std::string> {});
    core::Device thread, link;
    thread.isBackend = true;
    link.isLink = link.isHostLink = true;
    link.capacity = 2;
    const core::DeviceId first = builder.addDevice(thread);
    builder.addDevice(thread);
    const core::DeviceId network = builder.addDevice(link);
    auto replay = std::make_shared<core::ReplayResult>();
    const auto addOp = [&](core::DeviceId device, std::int64_t startNs, std::int64_t endNs) {
        core::OpSpec op;
        op.name = builder.intern("all_reduce");
        op.kind = core::OpKind::Communication;
        op.device = device;
        replay->startNs.push_back(startNs);
        replay->endNs.push_back(endNs);
        replay->cause.emplace_back();
        return builder.addOp(op);
    };
    const auto addCollective = [&](std::int64_t readyNs, std::int64_t startNs, std::int64_t endNs) {
        core::CollectiveNode node;
        const core::OpId ready = addOp(first, readyNs, readyNs);
        node.arrival = node.transfer = addOp(network, startNs, endNs);
        node.parts.push_back({ core::WorkerId(0), core::NoSlice, 0, 0, ready });
        builder.addCollective(node);
        return ready;
    };
    addCollective(0, 0, OpNs);
    const core::OpId waiting = addCollective(OpNs / 2, OpNs + OpNs / 2, 2 * OpNs);
    auto result = std::make_shared<core::Prediction>();
    result->graph = std::make_shared<const core::Graph>(builder.build());
    replay->makespanNs = 2 * OpNs;
    result->replay = std::move(replay);
    const ReplayTimelineSource source(std::move(result), twoRanks(), twoGroups(), {});
    const auto [track, box] = source.find(waiting.value).value();
    QCOMPARE(track, std::size_t { 1 });
    QCOMPARE(box.startNs, OpNs / 2);
    QCOMPARE(box.waitNs, OpNs);
}

/// It was built to its end, and closing the window waited for it.
void TestReplayTimelineSource::itStopsWhenItIsCancelled()
{
    int asked = 0;
    const core::JobControl control([&asked] { return ++asked > 2; }, {});
    QVERIFY_THROWS_EXCEPTION(
        core::Cancelled, ReplayTimelineSource(sentToServers(), twoRanks(), twoGroups(), control));
    QCOMPARE(asked, 3);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestReplayTimelineSource)
#include "tst_replay_timeline_source.moc"
