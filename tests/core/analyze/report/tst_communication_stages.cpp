#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/diagnosis.h"
#include "core/analyze/diagnosis_json.h"
#include "core/analyze/report/communication_stages.h"
#include "core/analyze/report/critical_path_report.h"
#include "core/base/duration_text.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace core;

namespace {

constexpr std::int64_t Us = 1000;

/// The stages of tensor `g` of one rank, on a row that is named by it; the whole lasts from 100 to
/// 600. After 700 the tensor waits in a queue until it is sent.
Trace oneTensor()
{
    Trace trace = tests::traceFromText(R"(
rank 0
iteration 0 0 1000
comm whole
Comm.g 100 500
SEND 800 100
annotations stages
Comm.g.REDUCE 110 90 user_annotation
Comm.g.PUSH 250 150 user_annotation
Comm.g.PULL 350 200 user_annotation
QUEUE 700 100 user_annotation
)");
    trace.tracks[0].name = "g";
    trace.tracks[1].name = "g partition 7";
    trace.tensors.push_back({ TensorId(0), WorkerId(0), "g", 0, {}, {} });
    for (const std::uint64_t slice : { 0, 1 })
        trace.tensorUses.push_back({ SliceId(slice), TensorId(0) });
    return trace;
}

/// "REDUCE 110-200": pieces in microseconds; "-" where there is no stage.
QString textOf(const std::vector<StagePiece> &pieces)
{
    QStringList words;
    for (const StagePiece &piece : pieces)
        words << QStringLiteral("%1 %2-%3")
                     .arg(piece.stage.empty() ? QStringLiteral("-")
                                              : QString::fromStdString(piece.stage))
                     .arg(piece.range.startNs / Us)
                     .arg(piece.range.endNs / Us);
    return words.join(QStringLiteral(", "));
}

QString within(const Trace &trace, std::int64_t fromUs, std::int64_t toUs)
{
    const SliceId whole(0);
    return textOf(CommunicationStages(trace).within({ &whole, 1 }, { fromUs * Us, toUs * Us }));
}

Diagnosis diagnosed(const Trace &trace)
{
    return diagnose(trace, std::make_shared<Graph>(measuredGraph(trace, {})), {});
}

QString stagesText(const CriticalPathReport &path)
{
    QStringList words;
    for (const CriticalStage &stage : path.stages)
        words << QStringLiteral("%1 %2")
                     .arg(QString::fromStdString(stage.stage))
                     .arg(stage.durationNs / Us);
    return words.join(QStringLiteral(", "));
}

} // namespace

class CommunicationStagesTest : public QObject
{
    Q_OBJECT

private slots:
    void aLongNameIsCutBetweenCharacters();
    void theStageThatBeganLastCounts();
    void stagesAreCutToTheRange();
    void rowsOfOtherTensorsDoNotCount();
    void theCriticalPathIsToldByStage();
    void whatIsNotRecordedIsSaid();
    void aNegotiationDoesNotExcuseTheRankThatComesLast();
};

void CommunicationStagesTest::theStageThatBeganLastCounts()
{
    QCOMPARE(within(oneTensor(), 100, 600),
             QStringLiteral("- 100-110, REDUCE 110-200, - 200-250, PUSH 250-350, PULL 350-550, "
                            "- 550-600"));
}

void CommunicationStagesTest::stagesAreCutToTheRange()
{
    QCOMPARE(within(oneTensor(), 150, 300),
             QStringLiteral("REDUCE 150-200, - 200-250, PUSH 250-300"));
    QCOMPARE(within(oneTensor(), 900, 950), QString());
}

void CommunicationStagesTest::rowsOfOtherTensorsDoNotCount()
{
    Trace trace = oneTensor();
    trace.tracks[1].name = "gradient partition 7"; // not of `g`, though it begins with it
    QCOMPARE(within(trace, 100, 600), QString());
}

void CommunicationStagesTest::theCriticalPathIsToldByStage()
{
    const Diagnosis diagnosis = diagnosed(oneTensor());
    const CriticalPathReport &path = diagnosis.criticalPath;
    // PUSH until the PULL began; the second transfer has no finer stages.
    QCOMPARE(stagesText(path),
             QStringLiteral("PULL 200, between stages 110, PUSH 100, QUEUE 100, SEND 100, "
                            "REDUCE 90"));
    QCOMPARE(path.commNs, 600 * Us);
    QCOMPARE(path.waitNs, 100 * Us); // in the queue
    QCOMPARE(path.totalNs(), 1000 * Us);
    QCOMPARE(QString::fromStdString(path.stages.front().tensor), QStringLiteral("g"));
    const auto json = toJson(diagnosis);
    QCOMPARE(json["critical_path"]["stages"][0]["stage"], "PULL");
    QCOMPARE(json["critical_path"]["stages"][0]["longest_ns"], 200 * Us);
    QCOMPARE(diagnosis.bottlenecks.size(), std::size_t { 1 });
    const Bottleneck &found = diagnosis.bottlenecks.front();
    QCOMPARE(
        QString::fromStdString(found.evidence[1]),
        QStringLiteral("The critical path runs through PULL 200.0 us, between stages 110.0 us, "
                       "PUSH 100.0 us, QUEUE 100.0 us, SEND 100.0 us."));
    QCOMPARE(QString::fromStdString(found.evidence[2]),
             QStringLiteral("Longest there: PULL g on rank 0, 200.0 us."));
}

void CommunicationStagesTest::whatIsNotRecordedIsSaid()
{
    const Diagnosis diagnosis = diagnosed(oneTensor());
    QCOMPARE(diagnosis.criticalPath.unrecordedNs, 300 * Us);
    QCOMPARE(diagnosis.blindSpots.size(), std::size_t { 1 });
    QVERIFY(QString::fromStdString(diagnosis.blindSpots.front())
                .startsWith(QStringLiteral("No computation is recorded: 300.0 us of the "
                                           "critical path is not known.")));
}

/// Rank 1 is ready at 500; until then the others' request is negotiated on rank 1's own row, too.
void CommunicationStagesTest::aNegotiationDoesNotExcuseTheRankThatComesLast()
{
    Trace trace = tests::traceFromText(R"(
rank 0
iteration 0 0 1000
comm collectives
ALLREDUCE 100 900 kind=all_reduce
rank 1
iteration 0 0 1000
comm collectives
ALLREDUCE 500 500 kind=all_reduce
annotations row
NEGOTIATE_ALLREDUCE 100 450 user_annotation
NCCL_ALLREDUCE 600 400 user_annotation
)");
    trace.tracks[2].name = "g";
    trace.tensors.push_back({ TensorId(0), WorkerId(1), "g", 0, {}, {} });
    trace.tensorUses.push_back({ SliceId(1), TensorId(0) });
    const CriticalPathReport path = diagnosed(trace).criticalPath;
    QCOMPARE(path.unrecordedNs, 500 * Us);
    QCOMPARE(path.waitNs, 0);
    QCOMPARE(stagesText(path),
             QStringLiteral("NCCL_ALLREDUCE 400, NEGOTIATE_ALLREDUCE 50, between stages 50"));
}

/// The 80th byte is the first one of a letter of two.
void CommunicationStagesTest::aLongNameIsCutBetweenCharacters()
{
    CriticalOp op;
    op.kind = "comm";
    op.name = std::string(79, 'x') + "\xC3\xA9" + "tail";
    op.durationNs = Us;
    CriticalPathReport path;
    path.ops.push_back(op);
    QCOMPARE(longestOnPath(path, isCommunicationOp),
             std::string(79, 'x') + "... on rank 0, " + durationText(Us));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CommunicationStagesTest)
#include "tst_communication_stages.moc"
