#include "core/align/align.h"
#include "core/model/slice_index.h"
#include "tests/support/trace_builder.h"

#include <QElapsedTimer>
#include <QtTest>

using namespace core;
using tests::traceFromText;

namespace {

/// "0:30 1:31 | 0:60 1:61": per instance, rank:start in us of each call.
QString printed(const Trace &trace, const std::vector<MatchedCollective> &matched)
{
    const SliceIndex slices(trace);
    QStringList instances;
    for (const MatchedCollective &instance : matched) {
        QStringList calls;
        for (const std::size_t index : instance.calls) {
            const CollectiveCall &call = trace.collectives[index];
            calls << QStringLiteral("%1:%2")
                         .arg(trace.workers[call.worker.value].rank)
                         .arg(slices.startNs(call.slice) / 1000);
        }
        instances << calls.join(QLatin1Char(' '));
    }
    return instances.join(QStringLiteral(" | "));
}

QString joined(const std::vector<std::string> &notes)
{
    QStringList list;
    for (const std::string &note : notes)
        list << QString::fromStdString(note);
    return list.join(QLatin1Char('\n'));
}

/// A rank whose calls end at the given times (us), 10 us long.
std::string rankWithCalls(int rank, const std::vector<std::int64_t> &ends)
{
    std::string text = "rank " + std::to_string(rank) + "\ncomm gloo\n";
    for (const std::int64_t end : ends)
        text += "gloo:all_reduce " + std::to_string(end - 10) + " 10 kind=all_reduce bytes=8\n";
    return text;
}

} // namespace

class CollectiveMatchingTest : public QObject
{
    Q_OBJECT

private slots:
    void sequenceNumbersMatchWhateverTheOrder();
    void equalCallsMatchInOrderAcrossLargeOffsets();
    void aRankThatBeganLaterMissesTheFirstCalls();
    void aRankThatLostACallInBetweenKeepsTheOthers();
    void equallyManyCallsButShiftedRecordings();
    void aCutRankIsMatchedByTheNumbersOfItsSteps();
    void differentSizesMayStartInDifferentOrder();
    void ranksThatShareNoCallTakeNoTime();
    void handWrittenRowsBesideBackendRecordsAreNotCountedTwice();
    void aGroupOfOneRankIsNamed();
    void groupsOfOneNameAreToldApartByTheirRanks();
    void aRankOfAnotherJobIsLeftOut();
    void timesAtTheEndsOfTheRangeAreHarmless();
};

void CollectiveMatchingTest::sequenceNumbersMatchWhateverTheOrder()
{
    const Trace trace = traceFromText(R"(
        rank 0
        stream 7 gpu=0
        nccl 10 5 comm_kernel kind=all_reduce seq=4 group=tp
        nccl 20 5 comm_kernel kind=all_gather seq=5 group=tp
        rank 1
        stream 7 gpu=0
        nccl 30 5 comm_kernel kind=all_gather seq=5 group=tp
        nccl 90 5 comm_kernel kind=all_reduce seq=6 group=tp
    )");
    std::vector<std::string> notes;
    const auto matched = matchCollectives(trace, notes);
    QCOMPARE(printed(trace, matched), QStringLiteral("0:20 1:30"));
    QCOMPARE(matched[0].sequence, std::uint64_t { 5 });
    QCOMPARE(notes.size(), std::size_t { 2 });
    QVERIFY2(joined(notes).contains(QLatin1String("Rank 0: 1 all_reduce call of 2")),
             qPrintable(joined(notes)));
}

void CollectiveMatchingTest::equalCallsMatchInOrderAcrossLargeOffsets()
{
    const std::int64_t hour = 3600'000'000LL;
    const Trace trace = traceFromText(rankWithCalls(0, { 100, 250, 900 })
                                      + rankWithCalls(1, { 100 + hour, 250 + hour, 900 + hour }));
    std::vector<std::string> notes;
    const auto matched = matchCollectives(trace, notes);
    QCOMPARE(printed(trace, matched),
             QStringLiteral("0:90 1:3600000090 | 0:240 1:3600000240 | 0:890 1:3600000890"));
    QVERIFY(notes.empty());
}

void CollectiveMatchingTest::aRankThatBeganLaterMissesTheFirstCalls()
{
    const Trace trace = traceFromText(rankWithCalls(0, { 1000, 2500, 4700, 6100, 9000 })
                                      + rankWithCalls(1, { 2505, 4702, 6100, 9003 }));
    std::vector<std::string> notes;
    QCOMPARE(printed(trace, matchCollectives(trace, notes)),
             QStringLiteral("0:2490 1:2495 | 0:4690 1:4692 | 0:6090 1:6090 | 0:8990 1:8993"));
    QCOMPARE(joined(notes),
             QStringLiteral("Rank 0: 1 all_reduce call of 5 on the default group has no match on "
                            "every rank and is left out; first: 'gloo:all_reduce'."));
}

void CollectiveMatchingTest::aRankThatLostACallInBetweenKeepsTheOthers()
{
    const Trace trace = traceFromText(rankWithCalls(0, { 1000, 2500, 4700, 6100, 9000 })
                                      + rankWithCalls(1, { 501000, 502500, 506100, 509000 }));
    std::vector<std::string> notes;
    QCOMPARE(
        printed(trace, matchCollectives(trace, notes)),
        QStringLiteral("0:990 1:500990 | 0:2490 1:502490 | 0:6090 1:506090 | 0:8990 1:508990"));
}

void CollectiveMatchingTest::equallyManyCallsButShiftedRecordings()
{
    // Rank 1 began one call later and ended one call later.
    const Trace trace = traceFromText(rankWithCalls(0, { 1000, 2500, 4700, 6100, 9000 })
                                      + rankWithCalls(1, { 2500, 4700, 6100, 9000, 12900 }));
    std::vector<std::string> notes;
    QCOMPARE(printed(trace, matchCollectives(trace, notes)),
             QStringLiteral("0:2490 1:2490 | 0:4690 1:4690 | 0:6090 1:6090 | 0:8990 1:8990"));
    QCOMPARE(notes.size(), std::size_t { 2 });
}

/// Steps of equal length: two of the five agree with the cut rank's calls to the microsecond, but
/// two steps too late. A rank cut at 40 % was matched so, and its clock then taken to be seconds
/// off.
void CollectiveMatchingTest::aCutRankIsMatchedByTheNumbersOfItsSteps()
{
    const auto steps = [](int count) {
        std::string text = "thread main\n";
        for (int i = 0; i < count; ++i)
            text += "ProfilerStep#" + std::to_string(i) + " " + std::to_string(i * 100'000)
                + " 100000 user_annotation\n";
        return text;
    };
    const Trace trace
        = traceFromText(rankWithCalls(0, { 90'000, 197'000, 290'000, 390'000, 490'000 }) + steps(5)
                        + rankWithCalls(1, { 91'000, 191'000 }) + steps(2));
    std::vector<std::string> notes;
    QCOMPARE(printed(trace, matchCollectives(trace, notes)),
             QStringLiteral("0:89990 1:90990 | 0:196990 1:190990"));
}

void CollectiveMatchingTest::differentSizesMayStartInDifferentOrder()
{
    // Two threads take up two buckets nearly at once.
    const Trace trace = traceFromText(R"(
        rank 0
        comm gloo
        gloo:all_reduce 10 50 kind=all_reduce bytes=100
        gloo:all_reduce 11 20 kind=all_reduce bytes=200
        rank 1
        comm gloo
        gloo:all_reduce 13 50 kind=all_reduce bytes=100
        gloo:all_reduce 12 20 kind=all_reduce bytes=200
    )");
    std::vector<std::string> notes;
    QCOMPARE(printed(trace, matchCollectives(trace, notes)),
             QStringLiteral("0:10 1:13 | 0:11 1:12"));
    QVERIFY(notes.empty());
}

void CollectiveMatchingTest::handWrittenRowsBesideBackendRecordsAreNotCountedTwice()
{
    const std::string rank = R"(
        comm gloo
        gloo:all_reduce 10 50 kind=all_reduce bytes=100
        comm bucket
        allreduce 9 52 kind=all_reduce bytes=100
    )";
    const Trace trace = traceFromText("rank 0\n" + rank + "rank 1\n" + rank);
    std::vector<std::string> notes;
    QCOMPARE(printed(trace, matchCollectives(trace, notes)), QStringLiteral("0:10 1:10"));
}

void CollectiveMatchingTest::aGroupOfOneRankIsNamed()
{
    const Trace trace = traceFromText(rankWithCalls(3, { 1000 }));
    std::vector<std::string> notes;
    QVERIFY(matchCollectives(trace, notes).empty());
    QVERIFY(joined(notes).contains(QLatin1String("Only rank 3 has calls on the default group")));
}

/// Pairs of ranks whose groups PyTorch's split_group() gave one name: four all-reduces of two were
/// two of four.
void CollectiveMatchingTest::groupsOfOneNameAreToldApartByTheirRanks()
{
    std::string text;
    for (int rank = 0; rank < 4; ++rank)
        text += "rank " + std::to_string(rank)
            + "\ncomm gloo\ngloo:all_reduce 30 10 kind=all_reduce bytes=8 group=7\n"
              "gloo:all_reduce 50 10 kind=all_reduce bytes=8 group=7\n";
    Trace trace = traceFromText(text);
    trace.metadata.push_back(
        { "a#process_groups",
          R"([{"pg_name": "7", "ranks": [0, 2]}, {"pg_name": "7", "ranks": [1, 3]}])" });
    std::vector<std::string> notes;
    QCOMPARE(printed(trace, matchCollectives(trace, notes)),
             QStringLiteral("0:30 2:30 | 0:50 2:50 | 1:30 3:30 | 1:50 3:50"));
    QVERIFY(notes.empty());
    // Where a rank's group is not listed, or a rank is in two, all are taken for one.
    for (const char *list :
         { R"([{"pg_name": "7", "ranks": [0, 2]}])",
           R"([{"pg_name": "7", "ranks": [0, 2]}, {"pg_name": "7", "ranks": [0, 1, 3]}])" }) {
        trace.metadata.back().text = list;
        QCOMPARE(printed(trace, matchCollectives(trace, notes)),
                 QStringLiteral("0:30 1:30 2:30 3:30 | 0:50 1:50 2:50 3:50"));
    }
}

/// Its calls kept those of all others from being matched, and their gains were beyond belief.
void CollectiveMatchingTest::aRankOfAnotherJobIsLeftOut()
{
    Trace trace = traceFromText(rankWithCalls(0, { 100, 250 }) + rankWithCalls(1, { 100, 250 })
                                + rankWithCalls(2, { 700 }));
    trace.workers[0].worldSize = trace.workers[1].worldSize = 4;
    trace.workers[2].worldSize = 8;
    std::vector<std::string> notes;
    QCOMPARE(printed(trace, matchCollectives(trace, notes)),
             QStringLiteral("0:90 1:90 | 0:240 1:240"));
    QCOMPARE(notes.size(), std::size_t { 1 });
    QVERIFY2(notes[0].find("Rank 2 states a job of 8 ranks") == 0, notes[0].c_str());
}

/// Differences of differences of such times exceed 64 bits.
void CollectiveMatchingTest::timesAtTheEndsOfTheRangeAreHarmless()
{
    constexpr std::int64_t LastUs = 3'999'999'000'000'000;
    const auto step = [](std::int64_t startUs) {
        return "thread main\nProfilerStep#0 " + std::to_string(startUs) + " 1000 user_annotation\n";
    };
    const Trace trace = traceFromText(rankWithCalls(0, { -LastUs, 0, LastUs }) + step(-LastUs)
                                      + rankWithCalls(1, { -LastUs, LastUs }) + step(LastUs)
                                      + rankWithCalls(2, { LastUs, LastUs }) + step(LastUs));
    std::vector<std::string> notes;
    for (const MatchedCollective &matched : matchCollectives(trace, notes))
        QCOMPARE(matched.calls.size(), std::size_t { 3 });
}

/// It took the ranks' number times that of all their calls' kinds: minutes.
void CollectiveMatchingTest::ranksThatShareNoCallTakeNoTime()
{
    constexpr int Ranks = 8000;
    std::string text;
    for (int rank = 0; rank < Ranks; ++rank)
        text += "rank " + std::to_string(rank) + "\ncomm gloo\ngloo:all_reduce "
            + std::to_string(10 * rank) + " 10 kind=all_reduce bytes=" + std::to_string(8 + rank)
            + "\n";
    const Trace trace = traceFromText(text);
    std::vector<std::string> notes;
    QElapsedTimer timer;
    timer.start();
    QVERIFY(matchCollectives(trace, notes).empty());
    QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(notes.size(), static_cast<std::size_t>(Ranks));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CollectiveMatchingTest)
#include "tst_collective_matching.moc"
