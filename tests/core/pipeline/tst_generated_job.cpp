// What generate_kineto writes is what benchmarks measure: a job whose gradients are reduced by DDP.

#include "tests/core/pipeline/small_bundle.h"
#include "tests/support/generate/generate_kineto.h"

#include <QTest>

#include <numeric>
#include <sstream>

using namespace core;

namespace {

constexpr int Ranks = 3;
constexpr std::uint64_t ParameterBytes = std::uint64_t { 4 } * 1024 * 1024;

Graph graphOf(std::uint64_t events)
{
    const tests::SmallBundle bundle;
    for (int rank = 0; rank < Ranks; ++rank) {
        std::ostringstream trace;
        tests::generateKineto(trace, { .events = events, .rank = rank, .worldSize = Ranks });
        bundle.write("rank" + std::to_string(rank) + ".json", trace.str());
    }
    bundle.import();
    return *loadProject(bundle.project(), {}).graph;
}

} // namespace

class GeneratedJobTest : public QObject
{
    Q_OBJECT

private slots:
    void everyIterationReducesItsGradientsInBuckets()
    {
        const Graph graph = graphOf(6'000);
        QVERIFY(graph.iterationCount > 2);
        QCOMPARE(graph.gradientSteps.size(), std::size_t(Ranks * graph.iterationCount));
        for (const GradientStep &step : graph.gradientSteps) {
            const std::size_t parameters = step.parameterBytes.size();
            QVERIFY(parameters > 4);
            QCOMPARE(std::accumulate(step.parameterBytes.begin(), step.parameterBytes.end(),
                                     std::uint64_t { 0 }),
                     parameters * ParameterBytes);
            QCOMPARE(step.kernels.size(), parameters);
            QCOMPARE(step.copies.size(), parameters);
            QCOMPARE(step.buckets.size(), (parameters + 3) / 4);
            for (const GradientStep::Bucket &bucket : step.buckets)
                QCOMPARE(graph.collectives[bucket.collective].bytes,
                         bucket.parameterCount * ParameterBytes);
        }
    }

    void theSmallestTraceIsAJobToo() { QVERIFY(graphOf(1'000).gradientSteps.size() >= Ranks); }

    void thereAreAsManyEventsAsAskedForAndTheirSizeIsKept()
    {
        for (const std::uint64_t events : { 200U, 1'000U, 100'000U }) {
            std::ostringstream trace;
            tests::generateKineto(trace, { .events = events });
            const auto size = trace.str().size();
            QVERIFY2(size > 240 * events && size < 270 * events, qPrintable(QString::number(size)));
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(GeneratedJobTest)
#include "tst_generated_job.moc"
