#include "core/model/compared_iterations.h"
#include "core/pipeline/rank_checks.h"

#include <QTest>

#include <array>

using namespace core;

namespace {

constexpr std::int64_t Noon = 1'700'000'000'000'000'000;
constexpr std::int64_t Hour = 3'600'000'000'000;

/// Adds a rank that ran for a second, with some iterations.
void addRank(Trace &trace, int rank, std::optional<int> worldSize, std::int64_t startNs,
             int iterations = 1)
{
    Worker worker;
    worker.id = WorkerId(static_cast<std::uint32_t>(trace.workers.size()));
    worker.rank = rank;
    worker.worldSize = worldSize;
    worker.files = { "rank" + std::to_string(rank) + ".json" };
    Track track;
    track.id = TrackId(static_cast<std::uint32_t>(trace.tracks.size()));
    track.worker = worker.id;
    track.sliceCount = 1;
    track.range = { startNs, startNs + 1'000'000'000 };
    for (int i = 0; i < iterations; ++i)
        trace.iterations.push_back({ worker.id, i, { startNs + i, startNs + i + 1 } });
    trace.workers.push_back(worker);
    trace.tracks.push_back(track);
    trace.compared = comparedIterations(trace);
}

/// "code file, code file".
QString printed(const std::vector<Diagnostic> &diagnostics)
{
    QStringList lines;
    for (const Diagnostic &diagnostic : diagnostics)
        lines.append(QString::fromStdString(diagnostic.code + " " + diagnostic.file).trimmed());
    return lines.join(QStringLiteral(", "));
}

} // namespace

class TestRankChecks : public QObject
{
    Q_OBJECT
private slots:
    void aWholeJobHasNothingOdd();
    void missingRanksAreNamed();
    void oneMissingRankIsOne();
    void hugeWorldSizesCostNothing();
    void moreRanksThanTheStatedSizeAreTold();
    void jobsOfOtherWorldSizesAreToldApart();
    void aTraceOfAnotherTimeIsNamed();
    void recordingsThatDoNotOverlapAreNamed();
    void aWrongClockIsNoOtherRun();
    void regularStepsLeaveItToMessages();
    void aTraceOfOtherTensorsIsNamed();
    void clocksThatTellNoTimeOfDayAreNotCompared();
    void differentNumbersOfIterationsAreToldOnce();
    void checksReplaceEarlierOnes();
};

void TestRankChecks::aWholeJobHasNothingOdd()
{
    Trace trace;
    addRank(trace, 0, 2, Noon);
    addRank(trace, 1, 2, Noon + 50'000'000);
    QCOMPARE(printed(checkRanks(trace)), QString());
    QCOMPARE(printed(checkRanks({})), QString());
}

void TestRankChecks::missingRanksAreNamed()
{
    Trace trace;
    for (const int rank : { 0, 1, 3 })
        addRank(trace, rank, 8, Noon);
    const auto found = checkRanks(trace);
    QCOMPARE(printed(found), QStringLiteral("missing-ranks"));
    QCOMPARE(found[0].message,
             std::string("The job has 8 ranks, as its traces say, but the traces of ranks 2, 4, 5, "
                         "6, 7 are missing. Why other ranks wait for them cannot be told. Import "
                         "their traces together with these, or add them with longpole import "
                         "--append."));
}

/// "of 1 there is no trace: 1. What waits for them ..."
void TestRankChecks::oneMissingRankIsOne()
{
    Trace trace;
    addRank(trace, 0, 2, Noon);
    QCOMPARE(checkRanks(trace).at(0).message,
             std::string("The job has 2 ranks, as its traces say, but the trace of rank 1 is "
                         "missing. Why other ranks wait for it cannot be told. Import its trace "
                         "together with these, or add it with longpole import --append."));
}

void TestRankChecks::hugeWorldSizesCostNothing()
{
    Trace trace;
    addRank(trace, 0, 2'000'000'000, Noon);
    const auto found = checkRanks(trace);
    QVERIFY2(found.at(0).message.find("7, 8 and 1999999991 more") != std::string::npos,
             found[0].message.c_str());
}

/// Eight ranks that state a job of four were compared without a word.
void TestRankChecks::moreRanksThanTheStatedSizeAreTold()
{
    Trace trace;
    for (int rank = 0; rank < 8; ++rank)
        addRank(trace, rank, 4, Noon);
    const auto found = checkRanks(trace);
    QCOMPARE(printed(found), QStringLiteral("world-size"));
    QVERIFY(isRankCheck(found[0]));
    const std::string &text = found[0].message;
    QVERIFY2(text.find("has 4 ranks, and so no ranks 4-7, of which there are some") != text.npos
                 && text.find("--rank FILE=N") != text.npos,
             text.c_str());
    Trace unstated; // nothing is known of rank 4 then
    for (int rank = 0; rank < 5; ++rank)
        addRank(unstated, rank, rank < 4 ? std::optional(4) : std::nullopt, Noon);
    QCOMPARE(printed(checkRanks(unstated)), QString());
}

/// Of two jobs with as many ranks the one was told to be of another job than "most others".
void TestRankChecks::jobsOfOtherWorldSizesAreToldApart()
{
    Trace trace;
    for (const int rank : { 0, 1, 2, 3 })
        addRank(trace, rank, rank < 2 ? 2 : 4, rank < 2 ? Noon : Noon + Hour, rank + 1);
    const auto found = checkRanks(trace); // and nothing of missing ranks or iterations
    QCOMPARE(printed(found), QStringLiteral("other-job"));
    const QString message = QString::fromStdString(found[0].message);
    QVERIFY2(message.startsWith(QStringLiteral(
                 "The traces are of 2 jobs: ranks 0-1 (rank0.json and 1 more); ranks 2-3 "
                 "(rank2.json and 1 more). What tells: ranks 0-1 state that the job has 2 ranks, "
                 "ranks 2-3 state that the job has 4 ranks. Nothing")),
             found[0].message.c_str());
}

void TestRankChecks::aTraceOfAnotherTimeIsNamed()
{
    Trace trace;
    addRank(trace, 0, {}, Noon - 48 * Hour);
    addRank(trace, 1, {}, Noon);
    addRank(trace, 2, {}, Noon + 500'000'000);
    const auto early = checkRanks(trace);
    QCOMPARE(printed(early), QStringLiteral("other-job rank0.json"));
    QVERIFY2(early[0].message.find("before rank1.json and others") != std::string::npos,
             early[0].message.c_str());
    addRank(trace, 3, {}, Noon + Hour / 2);
    QCOMPARE(printed(checkRanks(trace)),
             QStringLiteral("other-job rank0.json, other-job rank3.json"));
    addRank(trace, 4, {}, Noon + Hour / 2);
    QCOMPARE(printed(checkRanks(trace)), // of two equally many ranks the earlier ones are the job
             QStringLiteral("other-job rank0.json, other-job rank3.json, other-job rank4.json"));
}

/// Two jobs that ran within minutes were taken for one without a word.
void TestRankChecks::recordingsThatDoNotOverlapAreNamed()
{
    Trace trace;
    addRank(trace, 0, {}, Noon);
    addRank(trace, 1, {}, Noon + 166'000'000'000);
    const auto found = checkRanks(trace);
    QCOMPARE(printed(found), QStringLiteral("other-job rank1.json"));
    QVERIFY2(found[0].message.find("2 min 45 s after rank0.json.") != std::string::npos,
             found[0].message.c_str());
    Trace close; // as clocks differ that are set
    addRank(close, 0, {}, Noon);
    addRank(close, 1, {}, Noon + 1'080'000'000);
    QCOMPARE(printed(checkRanks(close)), QString());
}

namespace {

/// Two ranks of these steps (us), the second later by its clock, which is known to an uncertainty.
Trace steppedRanks(const std::array<std::vector<std::int64_t>, 2> &stepsUs, std::int64_t laterNs,
                   std::int64_t uncertaintyNs)
{
    Trace trace;
    for (const int rank : { 0, 1 }) {
        addRank(trace, rank, 2, Noon + rank * laterNs, 0);
        std::int64_t timeNs = trace.tracks.back().range.startNs, index = 0;
        for (const std::int64_t step : stepsUs[static_cast<std::size_t>(rank)]) {
            trace.iterations.push_back(
                { trace.workers.back().id, index++, { timeNs, timeNs + step * 1000 } });
            timeNs += step * 1000;
        }
        Alignment clock;
        clock.worker = trace.workers.back().id;
        clock.isReference = rank == 0;
        clock.isKnown = true;
        clock.uncertaintyNs = rank * uncertaintyNs;
        trace.alignment.workers.push_back(clock);
    }
    trace.compared = comparedIterations(trace);
    return trace;
}

} // namespace

/// A rank of the same run was doubted for its host's clock, though its steps tell.
void TestRankChecks::aWrongClockIsNoOtherRun()
{
    const std::vector<std::int64_t> first { 400, 431, 388, 407, 460, 395, 419 };
    const std::vector<std::int64_t> second { 409, 398, 425, 441, 402, 399, 436 };
    const auto same = checkRanks(steppedRanks({ first, first }, Hour, 1000));
    QCOMPARE(printed(same), QStringLiteral("wrong-clock rank1.json"));
    QVERIFY(same[0].severity == Severity::Info && isRankCheck(same[0]));
    QCOMPARE(printed(checkRanks(steppedRanks({ first, second }, Hour, 1000))),
             QStringLiteral("other-job rank1.json"));
    // Nor are they of one run because a clock may be off by seconds.
    QCOMPARE(printed(checkRanks(steppedRanks({ first, second }, 3'500'000'000, 1000))),
             QStringLiteral("other-job rank1.json"));
}

/// A pipeline's stage whose host's clock is 2.5 s off was called another job, as its steps were too
/// regular to tell.
void TestRankChecks::regularStepsLeaveItToMessages()
{
    const std::vector<std::int64_t> first { 74'730, 74'780, 74'810, 74'830, 74'720, 74'770 };
    const std::vector<std::int64_t> second { 74'800, 74'770, 74'860, 74'750, 74'830, 74'740 };
    const auto checked = [&](std::int64_t laterNs, std::int64_t uncertaintyNs) {
        return checkRanks(steppedRanks({ first, second }, laterNs, uncertaintyNs));
    };
    const auto tied = checked(3'500'000'000, 220'000);
    QCOMPARE(printed(tied), QStringLiteral("wrong-clock rank1.json"));
    QVERIFY2(tied[0].message.find("fit one offset of its clock, to 220.0 us, so")
                 != std::string::npos,
             tied[0].message.c_str());
    QCOMPARE(printed(checked(Hour, 220'000)), QStringLiteral("other-job rank1.json"));
    QCOMPARE(printed(checked(3'500'000'000, 20'000'000)), QStringLiteral("other-job rank1.json"));
}

/// Timelines of two jobs were joined as ranks of one without a word.
void TestRankChecks::aTraceOfOtherTensorsIsNamed()
{
    Trace trace;
    const auto addTensors = [&trace](std::uint32_t worker,
                                     std::initializer_list<const char *> all) {
        for (const char *name : all)
            trace.tensors.push_back({ TensorId(static_cast<std::uint32_t>(trace.tensors.size())),
                                      WorkerId(worker),
                                      name,
                                      4,
                                      {},
                                      {} });
    };
    for (const int rank : { 0, 1, 2, 3, 4 })
        addRank(trace, rank, {}, Noon);
    addTensors(0, { "conv" });
    addTensors(1, { "dense", "bias" });
    addTensors(3, { "bias", "norm" }); // rank 2 has none
    addTensors(4, { "norm" });
    QCOMPARE(printed(checkRanks(trace)), QStringLiteral("other-job rank0.json"));
    addTensors(0, { "bias" });
    QCOMPARE(printed(checkRanks(trace)), QString());
}

void TestRankChecks::clocksThatTellNoTimeOfDayAreNotCompared()
{
    Trace trace;
    addRank(trace, 0, {}, 5 * Hour); // since the host's boot
    addRank(trace, 1, {}, 200'000 * Hour);
    QCOMPARE(printed(checkRanks(trace)), QString());
}

void TestRankChecks::differentNumbersOfIterationsAreToldOnce()
{
    Trace trace;
    for (const int rank : { 0, 1, 2, 3 })
        addRank(trace, rank, 4, Noon, rank == 2 ? 5 : 6);
    const auto found = checkRanks(trace);
    QCOMPARE(printed(found), QStringLiteral("iteration-counts"));
    QVERIFY2(found[0].message.starts_with("Iteration 5 of rank 2 was not recorded whole. "),
             found[0].message.c_str());
}

void TestRankChecks::checksReplaceEarlierOnes()
{
    Trace trace;
    addRank(trace, 0, 2, Noon);
    Diagnostics diagnostics;
    replaceRankChecks(diagnostics, trace);
    replaceRankChecks(diagnostics, trace);
    QCOMPARE(diagnostics.list().at(0).count, 1U);
    addRank(trace, 1, 2, Noon);
    replaceRankChecks(diagnostics, trace);
    QVERIFY(diagnostics.list().empty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRankChecks)
#include "tst_rank_checks.moc"
