#include "core/change/plans/layer_times.h"
#include "core/change/plans/us_byte_plan.h"
#include "tests/core/change/gradients/recorded_job.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <numeric>
#include <set>

using namespace core;

namespace {

constexpr std::size_t Layers = 5;

tests::GpuDdpJob job()
{
    tests::GpuDdpJob made;
    made.ranks = 2;
    made.layerBytes = { 30 << 20, 2 << 20, 20 << 20, 4 << 20, 8 << 20 };
    made.bucketBytes = made.firstBucketBytes = 1 << 20;
    return made;
}

} // namespace

/// On a job whose layers' times are known: each forward 300 us, backward 600 us.
class LayerTimesTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void timesAreThoseOfTheKernels();
    void usBytePlansAllBytesInUnequalPieces();

private:
    PlanRequest request() const
    {
        PartitionLimits limits;
        limits.partitionBytes = 1'000'000;
        return { m_loaded.graph, *m_loaded.trace, m_links, limits, 0, m_none, m_control };
    }

    LoadedProject m_loaded;
    LinkModels m_links;
    OtherChanges m_none;
    JobControl m_control;
};

void LayerTimesTest::initTestCase()
{
    m_loaded = tests::recorded(job());
    m_links = fitLinks(*m_loaded.graph, *m_loaded.trace);
}

void LayerTimesTest::timesAreThoseOfTheKernels()
{
    const LayerChain chain = layerTimes(request());
    QCOMPARE(chain.bytes.size(), Layers);
    const std::vector<std::uint64_t> bytes = job().layerBytes;
    QCOMPARE(chain.bytes, std::vector<double>(bytes.begin(), bytes.end()));
    const auto near = [](double ns, double wanted) { return std::abs(ns - wanted) < 0.1 * wanted; };
    for (std::size_t layer = 0; layer < Layers; ++layer) {
        QVERIFY(near(chain.forwardNs[layer], 3e5));
        QVERIFY(near(chain.backwardNs[layer], 6e5));
    }
}

void LayerTimesTest::usBytePlansAllBytesInUnequalPieces()
{
    const GradientPlan plan = usBytePlan(request());
    QVERIFY(plan.isByPriority && plan.waitsForOwnTensors);
    for (const auto &[iteration, groups] : plan.iterations) {
        std::set<std::uint64_t> sizes;
        std::set<std::int32_t> priorities;
        std::size_t count = 0;
        QCOMPARE(groups.size(), Layers);
        for (const GradientGroup &group : groups) {
            std::uint64_t bytes = 0;
            for (const GradientPiece &piece : group.pieces) {
                bytes += piece.bytes;
                sizes.insert(piece.bytes);
                priorities.insert(piece.priority);
                ++count;
            }
            QCOMPARE(bytes, job().layerBytes[Layers - 1 - group.firstTensor]);
        }
        QCOMPARE(priorities.size(), count);
        QVERIFY(count > Layers && sizes.size() > 2);
    }
}

LONGPOLE_TEST(LayerTimesTest)
#include "tst_layer_times.moc"
