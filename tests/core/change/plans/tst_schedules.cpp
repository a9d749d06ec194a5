#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/forward_order.h"
#include "tests/core/change/gradients/recorded_job.h"
#include "tests/core/change/plans/loaded_sample.h"
#include "tests/support/predict.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace core;

namespace {

/// Six layers on two GPUs; communication takes longer than computation, and the first layer, whose
/// gradient is ready last, has most bytes.
tests::GpuDdpJob busyLinkJob()
{
    tests::GpuDdpJob job;
    job.ranks = 2;
    job.layerBytes = { 24 << 20, 8 << 20, 4 << 20, 4 << 20, 8 << 20, 2 << 20 };
    job.bucketBytes = 8 << 20;
    return job;
}

} // namespace

class SchedulesTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void everyGradientIsSentWhole_data() { addSchedules(); }
    void everyGradientIsSentWhole();
    void otherChangesCompose_data() { addSchedules(); }
    void otherChangesCompose();
    void acceleratorsAreServed_data() { addSchedules(); }
    void acceleratorsAreServed();
    void unmeasuredSchedulesAreDoubted_data() { addSchedules(); }
    void unmeasuredSchedulesAreDoubted();
    void anOrderByChanceIsUniformAndRepeats();
    void ordersByChanceAreNoBetterThanTac();
    void defaultsAreThoseOfTheSystem();
    void aCreditThatHoldsOneBufferIsTold();
    void contradictionsAreNamed();

private:
    static void addSchedules();
    /// With partitions of a size that suits all.
    static std::string words(const QString &schedule)
    {
        return "schedule=" + schedule.toStdString() + " partition_bytes=1048576";
    }
    Prediction run(const std::string &words) const
    {
        return tests::predict(*m_loaded.trace, m_loaded.graph, strategyOf(words), {});
    }
    static Strategy strategyOf(const std::string &words)
    {
        std::vector<std::string> list;
        for (const QString &word : QString::fromStdString(words).split(u' '))
            list.push_back(word.toStdString());
        return parseStrategy(list);
    }

    LoadedProject m_loaded, m_onGpus;
};

void SchedulesTest::initTestCase()
{
    m_loaded = tests::loadedSample();
    m_onGpus = tests::recorded(busyLinkJob());
}

void SchedulesTest::addSchedules()
{
    QTest::addColumn<QString>("schedule");
    for (const ScheduleTraits &traits : scheduleTraits())
        if (traits.isByTensor)
            QTest::newRow(traits.name.data()) << QString::fromStdString(std::string(traits.name));
}

/// Nothing is lost, sent twice, or changes from iteration to iteration. Of halves the first one
/// says it.
void SchedulesTest::everyGradientIsSentWhole()
{
    QFETCH(const QString, schedule);
    const Prediction result = run(words(schedule));
    std::map<std::int64_t, std::uint64_t> bytes;
    for (const CollectiveNode &node : result.graph->collectives)
        if (result.graph->isPredicted(node.transfer) && node.name != "all_gather")
            bytes[node.iteration] += node.bytes;
    const GradientStep &step = *usualStep(*m_loaded.graph);
    const std::uint64_t all = std::accumulate(step.parameterBytes.begin(),
                                              step.parameterBytes.end(), std::uint64_t { 0 });
    QCOMPARE(bytes.size(), std::size_t(m_loaded.graph->iterationCount));
    for (const auto &[iteration, ofIteration] : bytes)
        QCOMPARE(ofIteration, all);
    QVERIFY(result.predictedNs < run("schedule=wfbp").predictedNs); // it has a barrier
}

void SchedulesTest::otherChangesCompose()
{
    QFETCH(const QString, schedule);
    const std::string word = words(schedule);
    const std::int64_t alone = run(word).predictedNs;
    const std::int64_t slow = run(word + " bandwidth_scale=0.25").predictedNs;
    QVERIFY(slow > 2 * alone);
    // Compression changed nothing, and did not say so.
    QVERIFY(run(word + " compression=2 bandwidth_scale=0.25").predictedNs * 10 < slow * 7);
    QVERIFY(run(word + " world_size=8").predictedNs > alone);
    QVERIFY(run(word + " latency_us=20000").predictedNs > alone);
    QVERIFY(run(word + " compute_scale=4").predictedNs * 2 > 3 * alone);
    QVERIFY(run(word + " comm_scale=0").predictedNs < alone);
}

void SchedulesTest::acceleratorsAreServed()
{
    QFETCH(const QString, schedule);
    const auto predicted = [this](const std::string &words) {
        return tests::predict(*m_onGpus.trace, m_onGpus.graph, strategyOf(words), {}).predictedNs;
    };
    // By default P3's partitions keep the thread that hands them over busy.
    const std::string word = "schedule=" + schedule.toStdString() + " partition_bytes=4194304";
    QVERIFY(predicted(word) < predicted("schedule=wfbp"));
    QVERIFY(predicted(word + " bandwidth_scale=0.5") > predicted(word));
}

void SchedulesTest::unmeasuredSchedulesAreDoubted()
{
    QFETCH(const QString, schedule);
    const ScheduleTraits &traits = traitsOf(*scheduleNamed(schedule.toStdString()));
    const Prediction result = run("schedule=" + std::string(traits.name));
    const bool isDoubted = std::any_of(
        result.trustReasons.begin(), result.trustReasons.end(), [](const std::string &reason) {
            return reason.find("not checked against a measured job") != std::string::npos;
        });
    QCOMPARE(isDoubted, !traits.isChecked);
    QVERIFY(!traits.title.empty() && !traits.hint.empty());
}

/// Of three places all six orders, each about as often.
void SchedulesTest::anOrderByChanceIsUniformAndRepeats()
{
    std::map<std::vector<std::int32_t>, int> counts;
    for (std::uint64_t seed = 0; seed < 6000; ++seed)
        ++counts[shuffledPlaces(3, seed)];
    QCOMPARE(counts.size(), std::size_t { 6 });
    for (const auto &[order, count] : counts)
        QVERIFY(count > 880 && count < 1120); // four standard deviations of 29
    QCOMPARE(shuffledPlaces(50, 7), shuffledPlaces(50, 7));
    QVERIFY(shuffledPlaces(50, 7) != shuffledPlaces(50, 8));
    QVERIFY(shuffledPlaces(0, 1).empty());
}

void SchedulesTest::ordersByChanceAreNoBetterThanTac()
{
    const std::int64_t tac = run("schedule=tac").predictedNs;
    std::set<std::int64_t> times;
    for (int seed = 0; seed < 5; ++seed)
        times.insert(run("schedule=random schedule_seed=" + std::to_string(seed)).predictedNs);
    QVERIFY(times.size() > 1);
    QVERIFY(*times.begin() >= tac);
    QVERIFY(*times.rbegin() > tac * 102 / 100);
}

void SchedulesTest::defaultsAreThoseOfTheSystem()
{
    const Prediction byDefault = run("schedule=bytescheduler");
    QCOMPARE(byDefault.predictedNs,
             run("schedule=p3 partition_bytes=4000000 credit_bytes=16000000").predictedNs);
    QVERIFY(byDefault.graph->notes.back().starts_with(
        "Partitions are taken to be of 4000000 bytes, ByteScheduler's default"));
    QVERIFY(run("schedule=bytescheduler partition_bytes=1000000").predictedNs
            != byDefault.predictedNs);
}

/// DeAR's buffers have 1 MiB here: less than two of them change nothing.
void SchedulesTest::aCreditThatHoldsOneBufferIsTold()
{
    const std::string dear = words(QStringLiteral("dear"));
    const auto isTold = [](const Prediction &prediction) {
        const auto &notes = prediction.graph->notes;
        return std::any_of(notes.begin(), notes.end(), [](const std::string &note) {
            return note.starts_with("credit_bytes is less than two buffers");
        });
    };
    const Prediction without = run(dear), small = run(dear + " credit_bytes=2097151");
    QVERIFY(isTold(small) && !isTold(without));
    QCOMPARE(small.predictedNs, without.predictedNs);
    QVERIFY(!isTold(run(dear + " credit_bytes=100000000")));
    QVERIFY(!isTold(run(words(QStringLiteral("p3")) + " credit_bytes=1000")));
}

void SchedulesTest::contradictionsAreNamed()
{
    for (const char *words :
         { "schedule_seed=1", "schedule=p3 schedule_seed=1", "schedule=tac bucket_cap_mb=5",
           "schedule=tic gradients=1,2", "schedule=mgwfbp bucket_cap_mb=5",
           "schedule=mgwfbp gradients=1,2", "schedule=mgwfbp partition_bytes=1000",
           "schedule=dear collective=tree" })
        QVERIFY_THROWS_EXCEPTION(Error, strategyOf(words));
    strategyOf("schedule=random schedule_seed=1 partition_bytes=1000");
}

LONGPOLE_TEST(SchedulesTest)
#include "tst_schedules.moc"
