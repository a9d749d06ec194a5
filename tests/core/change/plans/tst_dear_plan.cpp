#include "core/change/change_text.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/dear_plan.h"
#include "core/change/plans/forward_order.h"
#include "core/replay/replay.h"
#include "tests/core/change/plans/loaded_sample.h"
#include "tests/support/predict.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

using namespace core;

class DearPlanTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void tensorsAreJoinedUpToTheBuffer();
    void eachHalfTakesHalfOfTheTime();
    void gathersFollowAllThatIsScattered();
    void whatIsNeededFirstIsGatheredFirst();
    void gradientsAreConvertedOnce();

private:
    Prediction run(const std::vector<std::string> &words) const
    {
        return tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy(words), {});
    }
    GradientPlan plan(std::uint64_t bufferBytes) const
    {
        PartitionLimits limits;
        limits.partitionBytes = bufferBytes;
        return dearPlan({ m_loaded.graph, *m_loaded.trace, m_links, limits, 0, {}, {} });
    }

    LoadedProject m_loaded;
    LinkModels m_links;
};

void DearPlanTest::initTestCase()
{
    m_loaded = tests::loadedSample();
    m_links = fitLinks(*m_loaded.graph, *m_loaded.trace);
}

void DearPlanTest::tensorsAreJoinedUpToTheBuffer()
{
    const std::size_t tensors = usualStep(*m_loaded.graph)->parameterBytes.size();
    for (const auto &[iteration, groups] : plan(1).iterations)
        QCOMPARE(groups.size(), tensors);
    for (const auto &[iteration, groups] : plan(WholeTensors).iterations) {
        QCOMPARE(groups.size(), std::size_t { 1 });
        QCOMPARE(groups.front().tensorCount, tensors);
        QVERIFY(groups.front().isInHalves);
    }
}

/// Of the same buckets as all-reduces of whole gradients, one at a time.
void DearPlanTest::eachHalfTakesHalfOfTheTime()
{
    std::map<std::string, std::int64_t> sums;
    const Prediction halves = run({ "schedule=dear", "partition_bytes=1" });
    for (const CollectiveNode &node : halves.graph->collectives)
        sums[node.name] += halves.graph->durationNs[node.transfer.value];
    const Prediction whole = run({ "schedule=tac" });
    for (const CollectiveNode &node : whole.graph->collectives)
        sums["whole"] += whole.graph->durationNs[node.transfer.value];
    QVERIFY(!sums.contains("all_reduce") || sums["all_reduce"] == 0);
    QVERIFY(sums["whole"] > 0);
    const auto near = [](std::int64_t a, std::int64_t b) { return std::abs(a - b) * 1000 < b; };
    QVERIFY(near(sums["reduce_scatter"] * 2, sums["whole"]));
    QVERIFY(near(sums["all_gather"] * 2, sums["whole"]));
}

void DearPlanTest::gathersFollowAllThatIsScattered()
{
    const Prediction result = run({ "schedule=dear", "partition_bytes=1048576" });
    const ReplayResult replayed = replay(*result.graph, {});
    std::map<std::int64_t, std::int64_t> scatteredNs, gatheredNs; // last end, first start
    std::size_t scatters = 0, gathers = 0;
    for (const CollectiveNode &node : result.graph->collectives) {
        if (node.name == "reduce_scatter") {
            ++scatters;
            std::int64_t &last = scatteredNs.try_emplace(node.iteration, 0).first->second;
            last = std::max(last, replayed.endNs[node.transfer.value]);
        } else if (node.name == "all_gather") {
            ++gathers;
            const std::int64_t startNs = replayed.startNs[node.transfer.value];
            std::int64_t &first = gatheredNs.try_emplace(node.iteration, startNs).first->second;
            first = std::min(first, startNs);
        }
    }
    QVERIFY(scatters > 0);
    QCOMPARE(gathers, scatters);
    for (const auto &[iteration, endNs] : scatteredNs)
        QVERIFY(gatheredNs.at(iteration) >= endNs);
}

void DearPlanTest::whatIsNeededFirstIsGatheredFirst()
{
    const GradientStep &step = *usualStep(*m_loaded.graph);
    const std::vector<std::int32_t> places = forwardOrder(*m_loaded.graph, step);
    const std::vector<GradientGroup> groups = plan(1).iterations.at(step.iteration);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        QCOMPARE(groups[i].priority, static_cast<std::int32_t>(i));
        QCOMPARE(groups[i].gatherPriority, static_cast<std::int32_t>(groups.size()) + places[i]);
    }
}

/// Compressed before the first half and decompressed behind the second, as much as around whole
/// all-reduces.
void DearPlanTest::gradientsAreConvertedOnce()
{
    const auto convertingNs = [this](const std::string &schedule) {
        const Prediction result = run({ "schedule=" + schedule, "compression=2" });
        std::map<std::string, double> sums;
        for (std::uint32_t i = 0; i < result.graph->size(); ++i)
            sums[result.graph->names[result.graph->name[i].value]]
                += static_cast<double>(result.graph->durationNs[i]);
        return std::pair(sums["compress gradients"], sums["decompress gradients"]);
    };
    const auto halves = convertingNs("dear"), whole = convertingNs("tac");
    QVERIFY(whole.first > 0 && whole.second > 0);
    QVERIFY(std::abs(halves.first / whole.first - 1) < 0.01);
    QVERIFY(std::abs(halves.second / whole.second - 1) < 0.01);
}

LONGPOLE_TEST(DearPlanTest)
#include "tst_dear_plan.moc"
