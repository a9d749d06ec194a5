#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/skeleton.h"
#include "core/replay/replay_order.h"
#include "tests/core/optimize/published_job.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/generate/gpu_ddp_job.h"
#include "tests/support/shared_data.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace core;

namespace {

/// The most that the skeleton's iteration differs from the whole graph's, as a part of it.
double largestError(const Predictor &predictor, Skeleton &skeleton,
                    const std::vector<Strategy> &strategies)
{
    if (!strategies.empty())
        skeleton.findModels(strategies.front(), {});
    Predictor whole = predictor;
    double most = 0;
    for (const Strategy &strategy : strategies) {
        if (!skeleton.answers(strategy)) {
            QTest::qFail("it does not answer", __FILE__, __LINE__);
            return 0;
        }
        const auto fullNs = whole.iterationNs(strategy, {});
        const auto smallNs = skeleton.iterationNs(strategy, {});
        if (fullNs.has_value() != smallNs.has_value()) {
            QTest::qFail("only one of them predicts it", __FILE__, __LINE__);
            return 0;
        }
        if (fullNs)
            most = std::max(most,
                            std::abs(static_cast<double>(*smallNs - *fullNs))
                                / static_cast<double>(*fullNs));
    }
    return most;
}

std::vector<Strategy> randomLayouts(const Graph &graph, const Strategy &environment, int count)
{
    std::vector<Strategy> layouts;
    const GradientStep *const step = usualStep(graph);
    if (step == nullptr)
        return layouts;
    std::mt19937 random(27);
    for (int i = 0; i < count; ++i) {
        std::vector<std::size_t> counts;
        for (std::size_t left = step->parameterBytes.size(); left > 0; left -= counts.back())
            counts.push_back(1 + random() % left);
        layouts.push_back(environment);
        layouts.back().set({ std::string(CutsKey), bucketCountsText(counts) });
    }
    return layouts;
}

/// Buckets, and other compiled parts.
std::vector<Strategy> randomParts(const Graph &graph, int count)
{
    std::vector<Strategy> layouts = randomLayouts(graph, {}, count);
    const std::vector<Strategy> parts = randomLayouts(graph, {}, 2 * count);
    for (std::size_t i = 0; i < layouts.size(); ++i)
        layouts[i].set({ std::string(OpFusionKey), *parts[i + layouts.size()].text(CutsKey) });
    return layouts;
}

double allowedError(const Graph &graph)
{
    return hasInterference(graph) ? 0.005 : 0.001;
}

} // namespace

class SkeletonTest : public QObject
{
    Q_OBJECT

private slots:
    void theEnvironmentIsContained_data();
    void theEnvironmentIsContained();
    void whatLooksAtSingleOpsIsNotAnswered();
    void jobsOnAcceleratorsAreReplayedToTheSameTimes_data();
    void jobsOnAcceleratorsAreReplayedToTheSameTimes();
    void publishedModelsAreReplayedToTheSameTimes_data();
    void publishedModelsAreReplayedToTheSameTimes();
    void aRankThatIsNamedIsNotFoldedAway_data();
    void aRankThatIsNamedIsNotFoldedAway();
    void recordedJobsAreReplayedToTheSameTimes_data();
    void recordedJobsAreReplayedToTheSameTimes();
};

void SkeletonTest::theEnvironmentIsContained_data()
{
    QTest::addColumn<Strategy>("environment");
    QTest::newRow("as recorded") << Strategy {};
    QTest::newRow("a slower link") << Strategy { { "bandwidth_mbit", 200.0 } };
    QTest::newRow("latency") << Strategy { { "latency_us", 5000.0 } };
    QTest::newRow("faster processors") << Strategy { { "compute_scale", 0.5 } };
    QTest::newRow("more ranks") << Strategy { { "world_size", 4.0 } };
    QTest::newRow("both") << Strategy { { "compute_scale", 2.0 }, { "bandwidth_scale", 4.0 } };
}

void SkeletonTest::theEnvironmentIsContained()
{
    QFETCH(const Strategy, environment);
    const tests::SampleProject sample;
    Predictor predictor = sample.predictor();
    predictor.findModels(effectsOf(environment), {});
    Skeleton skeleton(predictor, environment, {}, {});
    const Graph &whole = *predictor.base().graph;
    const double error = largestError(predictor, skeleton, randomLayouts(whole, environment, 30));
    qInfo("%zu of %zu ops, error at most %.4f %%", skeleton.ops(), whole.size(), 100 * error);
    QVERIFY(error <= allowedError(whole));
    QVERIFY(2 * skeleton.ops() < whole.size());
}

void SkeletonTest::whatLooksAtSingleOpsIsNotAnswered()
{
    const tests::SampleProject sample;
    const Skeleton skeleton(sample.predictor(), {}, {}, {});
    QVERIFY(skeleton.answers({}));
    QVERIFY(skeleton.answers({ { "bucket_cap_mb", 5.0 }, { "bandwidth_mbit", 100.0 } }));
    QVERIFY(!skeleton.answers({ { "compute_scale", 0.5 } }));
    QVERIFY(!skeleton.answers({ { "compression", 2.0 } })); // looks at copies
    QVERIFY(!skeleton.answers({ { "world_size", 4.0 } })); // its ranks share cores otherwise
    QVERIFY(!skeleton.answers({ { "schedule", std::string("p3") } }));
    const Skeleton slower(sample.predictor(), { { "bandwidth_mbit", 100.0 } }, {}, {});
    QVERIFY(!slower.answers({ { "bucket_cap_mb", 5.0 } })); // lacks the environment
}

void SkeletonTest::jobsOnAcceleratorsAreReplayedToTheSameTimes_data()
{
    QTest::addColumn<double>("scatter");
    QTest::addColumn<double>("slowdown");
    QTest::newRow("alike") << 0.0 << 1.0;
    QTest::newRow("scattered") << 0.1 << 1.0;
    QTest::newRow("slowed down by transfers") << 0.0 << 1.3;
}

void SkeletonTest::jobsOnAcceleratorsAreReplayedToTheSameTimes()
{
    QFETCH(const double, scatter);
    QFETCH(const double, slowdown);
    tests::GpuDdpJob job;
    job.scatter = scatter;
    job.slowdown = slowdown;
    for (int layer = 0; layer < 40; ++layer)
        job.layerBytes.push_back(static_cast<std::uint64_t>(1 + layer) << 18);
    const QTemporaryDir folder;
    tests::writeGpuDdpJob(job, folder.path().toStdString());
    const tests::SampleProject recorded(folder.path().toStdString());
    const Predictor predictor = recorded.predictor();
    Skeleton skeleton(predictor, {}, {}, {});
    const Graph &whole = *predictor.base().graph;
    const double error = largestError(predictor, skeleton, randomLayouts(whole, {}, 30));
    qInfo("%zu of %zu ops, error at most %.4f %%", skeleton.ops(), whole.size(), 100 * error);
    QVERIFY(error <= allowedError(whole));
}

void SkeletonTest::publishedModelsAreReplayedToTheSameTimes_data()
{
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("iterations");
    for (const char *model : { "ResNet50", "VGG16", "InceptionV3", "BERT Base" })
        QTest::newRow(model) << 2 << 3;
    QTest::newRow("VGG16, folded") << 8 << 6;
    QTest::newRow("BERT Base, folded") << 8 << 3;
}

/// Kernels scatter by 1 %: so do the ranks that another one stands for.
void SkeletonTest::publishedModelsAreReplayedToTheSameTimes()
{
    QFETCH(const int, ranks);
    QFETCH(const int, iterations);
    const QString model
        = QString::fromUtf8(QTest::currentDataTag()).section(QLatin1Char(','), 0, 0);
    const tests::PublishedJob job(model.toStdString(), ranks, iterations);
    const Predictor predictor = job.predictor();
    const Graph &whole = *predictor.base().graph;
    Skeleton skeleton(predictor, {}, {}, {});
    const double ofBuckets = largestError(predictor, skeleton, randomLayouts(whole, {}, 5));
    const double ofParts = largestError(predictor, skeleton, randomParts(whole, 5));
    qInfo("%zu of %zu ops, error at most %.4f %% of buckets, %.4f %% of compiled parts",
          skeleton.ops(), whole.size(), 100 * ofBuckets, 100 * ofParts);
    QVERIFY(ofBuckets <= 0.005);
    QVERIFY(ofParts <= 0.005);
}

void SkeletonTest::aRankThatIsNamedIsNotFoldedAway_data()
{
    QTest::addColumn<QString>("setting");
    for (const char *setting : { "bandwidth_mbit:3=4000", "compute_scale:3=2" })
        QTest::newRow(setting) << QString::fromUtf8(setting);
}

/// Its link or its work makes it unlike the others that it is recorded like.
void SkeletonTest::aRankThatIsNamedIsNotFoldedAway()
{
    QFETCH(const QString, setting);
    const tests::PublishedJob job("VGG16", 8, 3);
    const Predictor predictor = job.predictor();
    const Graph &whole = *predictor.base().graph;
    const Strategy environment = parseStrategy({ setting.toStdString() });
    Skeleton skeleton(predictor, environment, {}, {});
    const double error = largestError(predictor, skeleton, randomLayouts(whole, environment, 3));
    QVERIFY2(error <= 0.005, qPrintable(QString::number(error)));
    Skeleton folded(predictor, {}, {}, {});
    QVERIFY(!folded.answers(environment));
}

void SkeletonTest::recordedJobsAreReplayedToTheSameTimes_data()
{
    QTest::addColumn<QString>("bundle");
    for (const char *bundle :
         { "vgg-w2-500mbit-b5", "emuvgg-w4-1000mbit-b25", "emuvgg-w4-500mbit-b25-slow1x1.5",
           "resnet-w2-200mbit-b25", "resnet-w4-1000mbit-b25", "bert-w2-1000mbit-b25",
           "bert-w2-500mbit-b25-accum2", "vgg-w2-500mbit-b25-skew" })
        QTest::newRow(bundle) << bundle;
}

void SkeletonTest::recordedJobsAreReplayedToTheSameTimes()
{
    const auto shared = tests::sharedData();
    if (!shared)
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    QFETCH(const QString, bundle);
    const tests::SampleProject recorded(*shared / "data" / "testbed" / bundle.toStdString());
    const Predictor predictor = recorded.predictor();
    Skeleton skeleton(predictor, {}, {}, {});
    const Graph &whole = *predictor.base().graph;
    const double error = largestError(predictor, skeleton, randomLayouts(whole, {}, 10));
    qInfo("%zu of %zu ops, error at most %.4f %%", skeleton.ops(), whole.size(), 100 * error);
    QVERIFY(error <= allowedError(whole));
}

LONGPOLE_TEST(SkeletonTest)
#include "tst_skeleton.moc"
