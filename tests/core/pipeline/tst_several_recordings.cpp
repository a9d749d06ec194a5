#include "small_bundle.h"

#include <QTest>

using namespace core;
using tests::codes;
using tests::SmallBundle;

namespace {

constexpr std::int64_t NoonUs = 1'700'000'000'000'000;

/// A trace of two ops of a job of so many ranks, recorded at this second of the noon.
std::string traceOf(int rank, int worldSize, int second = 0, int durationUs = 20)
{
    const std::string start = std::to_string(NoonUs + second * std::int64_t { 1'000'000 });
    const std::string events
        = R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "dur": 50, "ts": )"
        + start + R"(, "pid": 1, "tid": 2}, {"ph": "X", "cat": "cpu_op", "name": "aten::mm", )"
        + R"("pid": 1, "tid": 2, "dur": )" + std::to_string(durationUs) + R"(, "ts": )" + start
        + "}";
    return R"({"schemaVersion": 1, "distributedInfo": {"backend": "gloo", "rank": )"
        + std::to_string(rank) + R"(, "world_size": )" + std::to_string(worldSize)
        + R"(}, "traceEvents": [)" + events + "]}";
}

/// The same with an event that cannot be read.
std::string damaged(std::string trace)
{
    const std::string event
        = R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": "?", "dur": 1}, )";
    return trace.insert(trace.find("[{") + 1, event);
}

/// The same with work of a device.
std::string runOf(int rank, int worldSize, int second)
{
    std::string trace = traceOf(rank, worldSize, second);
    const std::string kernel
        = R"({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, )"
          R"("dur": 5, "ts": )"
        + std::to_string(NoonUs + second * std::int64_t { 1'000'000 }) + "}, ";
    return trace.insert(trace.find("[{") + 1, kernel);
}

} // namespace

/// Of several recordings in one folder that claim the same ranks one is taken, whole.
class TestSeveralRecordings : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_bundle.emplace(); }
    void theJobWithMoreRanksIsTakenWhole();
    void theFirstOfTwoAlikeIsTaken();
    void aCompleteJobIsTakenBeforeAPartOfAnother();
    void aRecordingIsNotFilledUpFromAnother();
    void recordersThatRecordAgainAreToldByTheirTimes();
    void filesOfSeveralFoldersAreOfOneJob();
    void aHostWhoseClockIsOffIsOfItsJob();
    void tracesWithoutTimesAreToldByTheirFolders();
    void aSingleFileDoesNotTakeThePlaceOfOneOfAJob();
    void theRunIsTakenAndNotTheCaptureOfItsGraphs_data();
    void theRunIsTakenAndNotTheCaptureOfItsGraphs();
    void ofThreeFilesOfARankTheBestIsTakenInAnyOrder_data();
    void ofThreeFilesOfARankTheBestIsTakenInAnyOrder();

private:
    /// Files that were left out; all of them for one reason.
    QStringList leftOut(QString *reason = nullptr)
    {
        const ImportReport report = m_bundle->import();
        QStringList files;
        for (const Diagnostic &one : report.diagnostics) {
            if (one.code != "duplicate-rank")
                continue;
            files += QString::fromStdString(
                std::filesystem::relative(one.file, m_bundle->folder()).string());
            if (reason && !reason->isEmpty() && *reason != QString::fromStdString(one.message))
                return { QStringLiteral("several reasons") };
            if (reason)
                *reason = QString::fromStdString(one.message);
        }
        return files;
    }
    std::optional<SmallBundle> m_bundle;
};

/// By the order of names the two ranks of a test run had their places, and the job of four ranks
/// lost its first two.
void TestSeveralRecordings::theJobWithMoreRanksIsTakenWhole()
{
    for (int rank = 0; rank < 2; ++rank)
        m_bundle->write("a_rank" + std::to_string(rank) + ".json", traceOf(rank, 2, 100));
    for (int rank = 0; rank < 4; ++rank)
        m_bundle->write("rank" + std::to_string(rank) + ".json", traceOf(rank, 4));
    QString reason;
    QCOMPARE(leftOut(&reason),
             (QStringList { QStringLiteral("a_rank0.json"), QStringLiteral("a_rank1.json") }));
    QCOMPARE(reason,
             QStringLiteral("This is of another recording than what was imported (ranks 0-3 of "
                            "rank0.json and 3 more files), which has more ranks: it states that "
                            "its job has 2 ranks, that one 4, and it was recorded 1 min 40 s after "
                            "that one had ended. Import the files of this recording into a project "
                            "of their own."));
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1, 2, 3 }));
    const ProjectReader reader(m_bundle->project());
    QCOMPARE(reader.info().eventsTotal, std::uint64_t { 8 });
    QCOMPARE(reader.info().files.size(), std::size_t { 6 });
}

void TestSeveralRecordings::theFirstOfTwoAlikeIsTaken()
{
    for (int rank = 0; rank < 2; ++rank) {
        m_bundle->write("one/rank" + std::to_string(rank) + ".json", traceOf(rank, 2));
        m_bundle->write("two/rank" + std::to_string(rank) + ".json", traceOf(rank, 2, 7));
    }
    QString reason;
    QCOMPARE(leftOut(&reason),
             (QStringList { QStringLiteral("two/rank0.json"), QStringLiteral("two/rank1.json") }));
    QVERIFY2(reason.contains(QStringLiteral("one/rank0.json and 1 more file), which comes first in "
                                            "the order of names: it was recorded ")),
             qPrintable(reason));
    QCOMPARE(ProjectReader(m_bundle->project()).info().files.size(), std::size_t { 4 });
}

void TestSeveralRecordings::aCompleteJobIsTakenBeforeAPartOfAnother()
{
    for (int rank = 0; rank < 2; ++rank) {
        m_bundle->write("a" + std::to_string(rank) + ".json", traceOf(rank, 8));
        m_bundle->write("b" + std::to_string(rank) + ".json", traceOf(rank, 2, 5));
    }
    QString reason;
    QCOMPARE(leftOut(&reason),
             (QStringList { QStringLiteral("a0.json"), QStringLiteral("a1.json") }));
    QVERIFY(reason.contains(QStringLiteral("which has all ranks of its job")));
}

/// Ranks 2 and 3 of the one were put beside ranks 0 and 1 of the other.
void TestSeveralRecordings::aRecordingIsNotFilledUpFromAnother()
{
    for (int rank = 0; rank < 4; ++rank) {
        m_bundle->write("a" + std::to_string(rank) + ".json", traceOf(rank, 8));
        m_bundle->write("b" + std::to_string(rank) + ".json", traceOf(rank + 2, 8, 3600));
    }
    QCOMPARE(leftOut().size(), 4);
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1, 2, 3 }));
}

/// The order of names is that of the ranks: each one's second recording follows its first.
void TestSeveralRecordings::recordersThatRecordAgainAreToldByTheirTimes()
{
    for (int rank = 0; rank < 3; ++rank) {
        const std::string name = "host_" + std::to_string(7 + rank);
        if (rank > 0) // the first cycle of rank 0 was lost
            m_bundle->write(name + ".100.pt.trace.json", traceOf(rank, 3));
        m_bundle->write(name + ".200.pt.trace.json", traceOf(rank, 3, 30));
    }
    QCOMPARE(leftOut(),
             (QStringList { QStringLiteral("host_8.100.pt.trace.json"),
                            QStringLiteral("host_9.100.pt.trace.json") }));
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1, 2 }));
}

/// Of two nodes with a folder each; the third rank of a test run has the place of a rank of theirs.
void TestSeveralRecordings::filesOfSeveralFoldersAreOfOneJob()
{
    for (int rank = 0; rank < 4; ++rank)
        m_bundle->write((rank < 2 ? "east/" : "west/") + std::to_string(rank) + ".json",
                        traceOf(rank, 4));
    for (int rank = 0; rank < 3; ++rank)
        m_bundle->write("old/" + std::to_string(rank) + ".json", traceOf(rank, 3, 5));
    QCOMPARE(leftOut(),
             (QStringList { QStringLiteral("old/0.json"), QStringLiteral("old/1.json"),
                            QStringLiteral("old/2.json") }));
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1, 2, 3 }));
}

/// By the clock of its second host each job was in two parts, of which one of either was taken.
void TestSeveralRecordings::aHostWhoseClockIsOffIsOfItsJob()
{
    for (int rank = 0; rank < 4; ++rank) {
        const int later = rank < 2 ? 0 : 4; // s
        const std::string name = "rank" + std::to_string(rank) + ".json";
        m_bundle->write("a/" + name, traceOf(rank, 4, later));
        m_bundle->write("b/" + name, traceOf(rank, 4, rank == 3 ? 4 : 0, 60));
    }
    QString reason;
    QCOMPARE(leftOut(&reason).size(), 4);
    QVERIFY2(reason.contains(QStringLiteral("a/rank0.json and 3 more files")), qPrintable(reason));
    const ProjectReader reader(m_bundle->project());
    for (const SourceFile &file : reader.info().files)
        QCOMPARE(file.name.find("/a/") != std::string::npos, file.status == FileStatus::Read);
}

void TestSeveralRecordings::tracesWithoutTimesAreToldByTheirFolders()
{
    for (int rank = 0; rank < 4; ++rank) {
        if (rank < 2)
            m_bundle->write("a/rank" + std::to_string(rank) + ".json", tests::tinyTrace(rank));
        m_bundle->write("b/rank" + std::to_string(rank) + ".json", tests::tinyTrace(rank, 30));
    }
    QString reason;
    QCOMPARE(leftOut(&reason),
             (QStringList { QStringLiteral("a/rank0.json"), QStringLiteral("a/rank1.json") }));
    QVERIFY(reason.contains(QStringLiteral("it lies in another folder")));
}

/// The file's name came first, and rank 2 was another job's.
void TestSeveralRecordings::aSingleFileDoesNotTakeThePlaceOfOneOfAJob()
{
    m_bundle->write("other_rank7.json", traceOf(2, 4, 0, 60));
    for (int rank = 0; rank < 4; ++rank)
        m_bundle->write("rank" + std::to_string(rank) + ".json", traceOf(rank, 4));
    QString reason;
    QCOMPARE(leftOut(&reason), QStringList { QStringLiteral("other_rank7.json") });
    QCOMPARE(reason,
             QStringLiteral("The project already has the rank of this file, from ranks 0-3 of "
                            "rank0.json and 3 more files. That recording has more ranks; all were "
                            "read whole. If it is of another rank than it states, say which: "
                            "longpole import --rank FILE=N. Else import it into a new project."));
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1, 2, 3 }));
}

void TestSeveralRecordings::theRunIsTakenAndNotTheCaptureOfItsGraphs_data()
{
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("second"); ///< of the run
    QTest::addColumn<bool>("hasWork"); ///< the capture's warming up
    QTest::addColumn<QString>("folder"); ///< of the capture
    QTest::newRow("one rank") << 1 << 9 << false << QStringLiteral("a");
    QTest::newRow("one rank, at one time") << 1 << 0 << false << QStringLiteral("a");
    QTest::newRow("two ranks") << 2 << 9 << false << QStringLiteral("a");
    QTest::newRow("by its name") << 2 << 9 << true << QStringLiteral("a_graph_Capture");
}

/// The capture was taken, as its name came first: all of it was time of the host.
void TestSeveralRecordings::theRunIsTakenAndNotTheCaptureOfItsGraphs()
{
    QFETCH(const int, ranks);
    QFETCH(const int, second);
    QFETCH(const bool, hasWork);
    QFETCH(const QString, folder);
    QStringList captures;
    for (int rank = 0; rank < ranks; ++rank) {
        const QString name = QStringLiteral("/rank%1.json").arg(rank);
        captures.append(folder + name);
        m_bundle->write(captures.last().toStdString(),
                        hasWork ? runOf(rank, ranks, 0) : traceOf(rank, ranks, 0));
        m_bundle->write("b" + name.toStdString(), runOf(rank, ranks, second));
    }
    QString reason;
    QCOMPARE(leftOut(&reason), captures);
    QVERIFY2(reason.contains(QStringLiteral("capture of CUDA graphs")), qPrintable(reason));
}

void TestSeveralRecordings::ofThreeFilesOfARankTheBestIsTakenInAnyOrder_data()
{
    const QString run = QStringLiteral("run"), damagedRun = QStringLiteral("damaged run"),
                  capture = QStringLiteral("capture"),
                  damagedCapture = QStringLiteral("damaged capture");
    const QList<QStringList> sets { { run, capture, damagedCapture },
                                    { run, damagedRun, capture },
                                    { damagedRun, capture, damagedCapture } };
    QTest::addColumn<QStringList>("order");
    QTest::addColumn<QString>("taken");
    for (QStringList order : sets) {
        const QString taken = order.front();
        std::sort(order.begin(), order.end());
        do
            QTest::newRow(qPrintable(order.join(u','))) << order << taken;
        while (std::next_permutation(order.begin(), order.end()));
    }
}

/// An intact capture had the place of a run of which one event could not be read.
void TestSeveralRecordings::ofThreeFilesOfARankTheBestIsTakenInAnyOrder()
{
    QFETCH(const QStringList, order);
    QFETCH(const QString, taken);
    for (qsizetype i = 0; i < order.size(); ++i) {
        std::string trace
            = order[i].endsWith(QStringLiteral("run")) ? runOf(0, 1, 0) : traceOf(0, 1);
        if (order[i].startsWith(QStringLiteral("damaged")))
            trace = damaged(std::move(trace));
        m_bundle->write(std::string(1, "abc"[i]) + "/rank0.json", trace);
    }
    m_bundle->import();
    const ProjectReader reader(m_bundle->project());
    for (const SourceFile &file : reader.info().files) {
        const char folder
            = std::filesystem::path(file.name).parent_path().filename().string().front();
        QCOMPARE(file.status == FileStatus::Read, order[folder - 'a'] == taken);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSeveralRecordings)
#include "tst_several_recordings.moc"
