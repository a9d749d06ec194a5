#include "core/blocks/drawing.h"
#include "core/blocks/geometry.h"
#include "core/blocks/outline.h"
#include "core/blocks/phase_blocks.h"
#include "core/export/graph/svg_graph.h"
#include "core/export/graph/text_graphs.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"
#include "tests/support/predict.h"

#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

using namespace core;

/// Pictures of the bundled sample: two ranks, DDP with two buckets.
class TestDrawing : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void itShowsPhasesBucketsAndUpdate();
    void theLongPoleIsOnThePath();
    void openingABlockMovesNothingSideways();
    void everyOpIsInOneVisibleBlock();
    void byLayersNoBlockStandsBeforeWhatItWaitsFor();
    void blocksOfARowDoNotOverlap_data();
    void blocksOfARowDoNotOverlap();
    void linksAreLimitedAndCounted();
    void onlyTheNamedRanksAreDrawn();
    void exportsAreWellFormed();
    void alikeRanksAreFolded();
    void besideADeviceAThreadsPhasesAreHostWork();

private:
    GraphOutline outline(std::vector<int> ranks = {}) const
    {
        return outlineOf({ m_result.graph, m_result.replay, m_loaded.trace->workers,
                           static_cast<std::int32_t>(m_result.typicalIteration),
                           m_result.criticalPath, std::move(ranks) },
                         {});
    }

    LoadedProject m_loaded;
    Prediction m_result;
};

namespace {

/// Names of the blocks of a group's lanes, "forward, backward".
std::string namesIn(const Drawing &drawing, const std::string &group, LaneKind kind)
{
    std::string text;
    for (const DrawnLane &lane : drawing.lanes)
        for (const DrawnBlock &block : drawing.blocks)
            if (lane.group == group && lane.kind == kind && block.lane == lane.lane)
                text += (text.empty() ? "" : ", ") + block.name;
    return text;
}

DrawingOptions allOpen()
{
    DrawingOptions options;
    options.level = DetailLevel::Ops;
    return options;
}

} // namespace

void TestDrawing::initTestCase()
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "sample.longpole";
    importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {}, {});
    m_loaded = loadProject(project, {});
    m_result = tests::predict(*m_loaded.trace, m_loaded.graph, {}, {});
}

void TestDrawing::itShowsPhasesBucketsAndUpdate()
{
    const Drawing drawing = drawingOf(outline(), {}, {});
    QCOMPARE(namesIn(drawing, "rank 1", LaneKind::Host),
             std::string("optimizer, forward, backward, copy out, optimizer"));
    QCOMPARE(namesIn(drawing, "links", LaneKind::Link), std::string("all_reduce, all_reduce"));
    QCOMPARE(namesIn(drawing, "rank 0", LaneKind::Communication),
             std::string("all_reduce, all_reduce"));
}

void TestDrawing::theLongPoleIsOnThePath()
{
    const Drawing drawing = drawingOf(outline(), {}, {});
    const auto longest = std::max_element(
        drawing.path.begin(), drawing.path.end(),
        [](const PathStep &a, const PathStep &b) { return a.right - a.left < b.right - b.left; });
    QVERIFY(longest != drawing.path.end());
    const DrawnBlock &block = drawing.blocks[longest->block];
    QCOMPARE(block.kind, BlockKind::Transfer);
    QCOMPARE(block.slackNs, 0);
    QVERIFY(block.bytes > 20'000'000); // the second bucket
    // It goes on without a gap: each step begins where the one before ends, or behind a delay.
    for (std::size_t i = 1; i < drawing.path.size(); ++i)
        QVERIFY(drawing.path[i].left >= drawing.path[i - 1].left);
}

void TestDrawing::openingABlockMovesNothingSideways()
{
    const GraphOutline all = outline();
    const Drawing closed = drawingOf(all, {}, {});
    const auto backward
        = std::find_if(closed.blocks.begin(), closed.blocks.end(),
                       [](const DrawnBlock &block) { return block.name == "backward"; });
    QVERIFY(backward != closed.blocks.end() && backward->hasInner());
    DrawingOptions options;
    options.open = { keyOf(*backward) };
    const Drawing open = drawingOf(all, options, {});
    std::map<BlockKey, const DrawnBlock *> shown;
    for (const DrawnBlock &block : open.blocks)
        shown[keyOf(block)] = &block;
    std::size_t inner = 0;
    for (const DrawnBlock &block : closed.blocks) {
        QVERIFY(shown.contains(keyOf(block)));
        QCOMPARE(shown[keyOf(block)]->left, block.left);
        QCOMPARE(shown[keyOf(block)]->right, block.right);
    }
    for (const DrawnBlock &block : open.blocks)
        if (block.parent != DrawnBlock::None) {
            const DrawnBlock &parent = open.blocks[block.parent];
            QVERIFY(parent.isOpen && parent.row < block.row);
            QVERIFY(block.left >= parent.left && block.right <= parent.right);
            inner += block.count;
        }
    QCOMPARE(inner, static_cast<std::size_t>(backward->count));
}

void TestDrawing::everyOpIsInOneVisibleBlock()
{
    const GraphOutline all = outline();
    for (const DrawingOptions &options : { DrawingOptions {}, allOpen() }) {
        const Drawing drawing = drawingOf(all, options, {});
        std::map<std::uint32_t, std::size_t> opsOf; // by lane
        for (const DrawnBlock &block : drawing.blocks)
            if (!block.isOpen)
                opsOf[block.lane] += block.count;
        for (const DrawnLane &lane : drawing.lanes)
            QCOMPARE(opsOf[lane.lane], all.lanes[lane.lane].ops.size());
    }
}

void TestDrawing::byLayersNoBlockStandsBeforeWhatItWaitsFor()
{
    DrawingOptions options;
    options.arrangement = Arrangement::ByLayers;
    const Drawing drawing = drawingOf(outline(), options, {});
    QVERIFY(!drawing.links.empty());
    for (const DrawnLink &link : drawing.links) {
        const DrawnBlock &from = drawing.blocks[link.from], &to = drawing.blocks[link.to];
        if (from.startNs < to.startNs)
            QVERIFY2(from.left < to.left, (from.name + " -> " + to.name).c_str());
    }
}

void TestDrawing::blocksOfARowDoNotOverlap_data()
{
    QTest::addColumn<bool>("byLayers");
    QTest::addColumn<bool>("isOpen");
    QTest::newRow("by time") << false << false;
    QTest::newRow("by time, open") << false << true;
    QTest::newRow("by layers") << true << false;
    QTest::newRow("by layers, open") << true << true;
}

void TestDrawing::blocksOfARowDoNotOverlap()
{
    QFETCH(const bool, byLayers);
    QFETCH(const bool, isOpen);
    DrawingOptions options = isOpen ? allOpen() : DrawingOptions {};
    options.arrangement = byLayers ? Arrangement::ByLayers : Arrangement::ByTime;
    const Drawing drawing = drawingOf(outline(), options, {});
    for (std::size_t i = 1; i < drawing.blocks.size(); ++i) {
        const DrawnBlock &a = drawing.blocks[i - 1], &b = drawing.blocks[i];
        QVERIFY(a.row < b.row || (a.row == b.row && a.right <= b.left));
    }
}

void TestDrawing::linksAreLimitedAndCounted()
{
    Drawing drawing = drawingOf(outline(), allOpen(), {});
    QVERIFY(drawing.links.front().isOnPath); // the most important one
    const SeenLinks all = seenLinks(drawing, 0, drawing.width, 1); // a ns a pixel
    std::size_t edges = 0, seen = 0;
    for (const DrawnLink &link : drawing.links)
        edges += link.isWithinLane ? 0 : link.count;
    for (const SeenLink &link : all.links)
        seen += link.count;
    QCOMPARE(seen, edges);
    QCOMPARE(all.leftOut, std::size_t(0));
    // From far away those upon one another are one.
    QVERIFY(seenLinks(drawing, 0, drawing.width, drawing.width).links.size() < all.links.size());
    // The last ones of too many are counted.
    DrawnLink last = drawing.links.front();
    drawing.links.clear();
    for (std::size_t i = 0; i < SeenLinks::Most + 10; ++i) {
        last.fromX = last.toX = static_cast<double>(1000 * i);
        drawing.links.push_back(last);
    }
    const SeenLinks many = seenLinks(drawing, 0, drawing.width, 1);
    QVERIFY(many.links.size() <= SeenLinks::Most);
    QCOMPARE(many.links.size() + many.leftOut, SeenLinks::Most + 10);
}

void TestDrawing::onlyTheNamedRanksAreDrawn()
{
    const Drawing drawing = drawingOf(outline({ 1 }), {}, {});
    for (const DrawnLane &lane : drawing.lanes)
        QVERIFY(lane.group == "rank 1" || lane.group == "links");
    QVERIFY(!drawing.blocks.empty());
}

void TestDrawing::exportsAreWellFormed()
{
    for (const bool byLayers : { false, true }) {
        DrawingOptions options = allOpen();
        options.arrangement = byLayers ? Arrangement::ByLayers : Arrangement::ByTime;
        const Drawing drawing = drawingOf(outline(), options, {});
        for (const std::string &text :
             { svgText(drawing, "A <title> & more", {}), graphmlText(drawing) }) {
            QXmlStreamReader reader(QByteArray::fromStdString(text));
            std::size_t elements = 0;
            while (!reader.atEnd())
                elements += reader.readNext() == QXmlStreamReader::StartElement ? 1 : 0;
            QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
            QVERIFY(elements > drawing.links.size());
        }
        const std::string dot = dotText(drawing);
        QCOMPARE(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
    }
}

void TestDrawing::alikeRanksAreFolded()
{
    // Rank 0 waits for rank 1 by more than 1 % of the iteration: they are not alike.
    const GraphOutline all = outline();
    QCOMPARE(all.alike.groups.size(), std::size_t(2));
    // Judged by a range in which nothing is far, they are.
    const AlikeRanks folded
        = findAlikeRanks(all.lanes, all.outermost, 100 * all.range.durationNs(), WorkerId(1));
    QCOMPARE(folded.groups.size(), std::size_t(1));
    QCOMPARE(folded.groups.front().front(), WorkerId(1));
    for (std::size_t lane = 0; lane < all.lanes.size(); ++lane) {
        const Lane &drawn = all.lanes[folded.standIn[lane]];
        QCOMPARE(drawn.kind, all.lanes[lane].kind);
        QVERIFY(drawn.kind == LaneKind::Link || drawn.worker == WorkerId(1));
    }
}

/// The Graph page showed threads that launch work in the colour of the device's phases, where the
/// timeline and Compare show them grey.
void TestDrawing::besideADeviceAThreadsPhasesAreHostWork()
{
    const auto rolesOf = [](const Drawing &drawing, const std::string &group) {
        std::set<Role> roles;
        for (const DrawnLane &lane : drawing.lanes)
            for (const DrawnBlock &block : drawing.blocks)
                if (lane.group == group && lane.kind == LaneKind::Host && block.lane == lane.lane)
                    roles.insert(block.role);
        return roles;
    };
    DrawingOptions options = allOpen();
    options.foldsAlikeRanks = false;
    GraphOutline shown = outline();
    const Drawing threadsAlone = drawingOf(shown, options, {});
    QVERIFY(rolesOf(threadsAlone, "rank 0").contains(Role::Backward));
    auto graph = std::make_shared<Graph>(*shown.graph);
    Device stream = graph->devices.front();
    stream.isStream = true;
    for (const Lane &lane : shown.lanes)
        if (lane.group == "rank 0")
            stream.worker = lane.worker;
    graph->devices.push_back(stream);
    shown.graph = std::move(graph);
    const Drawing besideDevice = drawingOf(shown, options, {});
    const std::set<Role> ofRank = rolesOf(besideDevice, "rank 0");
    QVERIFY(ofRank.contains(Role::Host) && !ofRank.contains(Role::Backward)
            && !ofRank.contains(Role::Forward));
    QVERIFY(rolesOf(besideDevice, "rank 1") == rolesOf(threadsAlone, "rank 1"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDrawing)
#include "tst_drawing.moc"
