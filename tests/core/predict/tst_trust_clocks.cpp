#include "core/model/compared_iterations.h"
#include "core/predict/trust.h"
#include "tests/core/predict/trust_jobs.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

using namespace core;
using tests::judge;
using tests::says;
using tests::Second;
using tests::twoRanks;

namespace {

/// Two ranks of steps of so many milliseconds, each ending with an all-reduce, aligned well.
Trace ranksOfSteps(const std::vector<std::int64_t> &first, const std::vector<std::int64_t> &second,
                   std::int64_t laterNs)
{
    constexpr std::int64_t Ms = 1'000'000;
    Trace trace = twoRanks(laterNs);
    trace.names = { "", "gloo:all_reduce" };
    for (std::uint32_t w = 0; w < 2; ++w) {
        SliceColumns slices;
        slices.first = SliceId(w * 100);
        std::int64_t timeNs = trace.tracks[w].range.startNs;
        for (const std::int64_t step : w == 0 ? first : second) {
            const TimeRange range { timeNs, timeNs + step * Ms };
            const auto number = static_cast<std::int64_t>(slices.startNs.size());
            trace.iterations.push_back({ WorkerId(w), number, range, true });
            CollectiveCall call;
            call.slice = SliceId(w * 100 + static_cast<std::uint64_t>(number));
            call.worker = WorkerId(w);
            call.kind = "all_reduce";
            call.sequence = static_cast<std::uint64_t>(number);
            trace.collectives.push_back(call);
            slices.startNs.push_back(range.endNs - 90 * Ms);
            slices.durationNs.push_back(90 * Ms);
            slices.name.push_back(NameId(1));
            slices.category.push_back(Category::CommOp);
            slices.phase.push_back(Phase::None);
            slices.depth.push_back(0);
            timeNs = range.endNs;
        }
        trace.tracks[w].firstSlice = slices.first;
        trace.tracks[w].sliceCount = slices.startNs.size();
        trace.tracks[w].range.endNs = timeNs;
        trace.slices.push_back(slices);
        Alignment clock;
        clock.worker = WorkerId(w);
        clock.isReference = w == 0;
        clock.isKnown = true;
        clock.residualNs = w * Ms;
        clock.offsetNs = w * -laterNs;
        trace.alignment.workers.push_back(clock);
    }
    trace.compared = comparedIterations(trace);
    return trace;
}

bool saysOtherTimes(const Prediction &result, const std::string &gap)
{
    return std::any_of(result.trustReasons.begin(), result.trustReasons.end(),
                       [&gap](const std::string &reason) {
                           return reason.find("rank 1 was recorded " + gap) != std::string::npos;
                       });
}

} // namespace

/// How far recordings of other times, and clocks that are apart, are trusted.
class TestTrustClocks : public QObject
{
    Q_OBJECT

private slots:
    /// Traces of two jobs were compared as ranks of one, and trusted.
    void recordingsThatDoNotOverlapAreNotTrusted()
    {
        const Graph graph;
        Prediction result;
        judge({ twoRanks(166 * Second), graph, {}, {}, graph }, result);
        QCOMPARE(result.trust, TrustLevel::Poor);
        QVERIFY(saysOtherTimes(result, "2 min 42 s after rank 0"));
        // Seconds apart: clocks that nobody set, which the alignment recovers.
        Prediction soonAfter;
        judge({ twoRanks(14 * Second), graph, {}, {}, graph }, soonAfter);
        QCOMPARE(soonAfter.trust, TrustLevel::Fair);
        QVERIFY(saysOtherTimes(soonAfter, "10.00 s after rank 0"));
        Prediction together;
        judge({ twoRanks(Second), graph, {}, {}, graph }, together);
        QVERIFY(together.trust != TrustLevel::Poor);
        QVERIFY(!saysOtherTimes(together, ""));
    }

    /// Clocks that are unsure by 3 to 25 % of an iteration were told of by diagnosis only.
    void clocksThatAreSomewhatUnsureAreToldOf()
    {
        constexpr std::int64_t Ms = 1'000'000;
        const auto reasonsAt = [](std::int64_t uncertaintyNs) {
            Trace trace = twoRanks(Second);
            trace.alignment.workers.resize(2);
            for (std::uint32_t w = 0; w < 2; ++w) {
                trace.iterations.push_back({ WorkerId(w), 0, { 0, 100 * Ms } });
                trace.alignment.workers[w].worker = WorkerId(w);
                trace.alignment.workers[w].isKnown = true;
            }
            trace.alignment.workers[1].uncertaintyNs = uncertaintyNs;
            return clockReasons(trace);
        };
        QVERIFY(reasonsAt(2 * Ms).empty());
        QCOMPARE(reasonsAt(4 * Ms).size(), std::size_t { 1 });
        QCOMPARE(reasonsAt(4 * Ms).front().level, TrustLevel::Good);
        QCOMPARE(reasonsAt(26 * Ms).front().level, TrustLevel::Fair);
        QCOMPARE(QString::fromStdString(reasonsAt(4 * Ms).front().text),
                 QStringLiteral("The ranks' clocks may differ by up to 4.0 ms, 4.0 % of an "
                                "iteration: who waits for whom, and for how long, is as "
                                "unsure."));
    }

    /// A host in another time zone: the offset that the collectives tell is an hour.
    void clocksOfOtherTimeZonesAreNoOtherRun()
    {
        const auto judged = [](std::int64_t offsetNs, std::uint64_t violations) {
            const Graph graph;
            Trace trace = twoRanks(3603 * Second);
            trace.alignment.workers.resize(2);
            trace.alignment.workers[0].isReference = true;
            trace.alignment.workers[1].worker = WorkerId(1);
            trace.alignment.workers[1].isKnown = true;
            trace.alignment.workers[1].offsetNs = offsetNs;
            trace.alignment.violationsAfter = violations;
            Prediction result;
            judge({ trace, graph, {}, {}, graph }, result);
            return result;
        };
        const Prediction hour = judged(-3600 * Second + 200'000, 0);
        QVERIFY(hour.trust != TrustLevel::Poor);
        QVERIFY(saysOtherTimes(hour, "59 min 59 s after rank 0"));
        QVERIFY(says(hour, "whole number of quarter hours"));
        QCOMPARE(judged(-3602 * Second, 0).trust, TrustLevel::Poor);
        QCOMPARE(judged(-3600 * Second, 1).trust, TrustLevel::Poor);
        QCOMPARE(judged(0, 0).trust, TrustLevel::Poor);
    }

    /// Two clocks two seconds apart made a job "fair" whose collectives had told the offset.
    void clocksThatAreApartAreGoodWhereTheStepsOfOneRunTellTheOffset()
    {
        const std::vector<std::int64_t> steps { 400, 431, 388, 407, 460, 395, 419 }; // ms
        const auto judged = [](const Trace &trace) {
            const Graph graph;
            Prediction result;
            judge({ trace, graph, {}, {}, graph }, result);
            return result;
        };
        const auto saysOneRun
            = [](const Prediction &result) { return says(result, "they are of one run"); };
        const Prediction one = judged(ranksOfSteps(steps, steps, 1234 * Second));
        QVERIFY(one.trust != TrustLevel::Poor);
        QVERIFY(saysOneRun(one) && says(one, "rank 1 was recorded 20 min"));
        // What tells nothing: a poor alignment, as of two runs; steps that are too regular, or too
        // few of them, or that end with collectives that are.
        Trace poor = ranksOfSteps(steps, steps, 1234 * Second);
        poor.alignment.workers[1].residualNs = 4'000'000; // they vary by 12 ms
        const Prediction two = judged(poor);
        QCOMPARE(two.trust, TrustLevel::Poor);
        QVERIFY(!saysOneRun(two) && says(two, "If it is of another run"));
        poor = ranksOfSteps(steps, steps, 1234 * Second);
        poor.alignment.violationsAfter = 1;
        QVERIFY(!saysOneRun(judged(poor)));
        const std::vector<std::int64_t> regular(steps.size(), 400);
        QVERIFY(!saysOneRun(judged(ranksOfSteps(regular, regular, 1234 * Second))));
        const std::vector<std::int64_t> few(steps.begin(), steps.begin() + 4);
        QVERIFY(!saysOneRun(judged(ranksOfSteps(few, few, 1234 * Second))));
        poor = ranksOfSteps(regular, regular, 1234 * Second);
        for (std::size_t i = 0; i < steps.size(); ++i) // the host's part of a step varies
            for (const std::size_t worker : { std::size_t { 0 }, steps.size() })
                poor.iterations[worker + i].range.startNs += steps[i] * 100'000;
        QVERIFY(!saysOneRun(judged(poor)));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTrustClocks)
#include "tst_trust_clocks.moc"
