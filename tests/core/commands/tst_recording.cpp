#include "core/base/error.h"
#include "core/commands/collector_files.h"
#include "core/commands/job_process.h"
#include "core/commands/recorded_bundle.h"
#include "core/commands/recording_environment.h"
#include "core/commands/recording_folder.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

using namespace core;
namespace fs = std::filesystem;

namespace {

CollectorFiles allCollectors()
{
    return { "/c/pytorch", "/c/liblongpole_cupti.so", "/c/libnccl-profiler-longpole.so" };
}

RecordingOptions intoBundle()
{
    RecordingOptions options;
    options.folder = "/bundle";
    return options;
}

/// The value of a variable in what the job runs in.
std::string valueOf(const Environment &environment, const std::string &name)
{
    const auto found = environment.find(name);
    return found != environment.end() ? found->second : "(not set)";
}

bool isSaid(const std::vector<std::string> &lines, const std::string &text)
{
    return std::any_of(lines.begin(), lines.end(), [&text](const std::string &line) {
        return line.find(text) != std::string::npos;
    });
}

} // namespace

class RecordingTest : public QObject
{
    Q_OBJECT

private slots:
    void theJobKeepsItsEnvironment();
    void everyCollectorThatIsThereIsLoaded();
    void whatIsNotThereIsNotNamed();
    void variablesOfOtherToolsStay();
    void askedForIsPassedOn();
    void bytePsRecordsTheSameIterationsIntoAFolderOfItsHost();
    void ranksOfLaunchers_data();
    void ranksOfLaunchers();
    void abilitiesSayWhyNot();
    void collectorsAreFoundInTheFirstFolder();
    void aBundleIsDescribed();
    void missingRanksAreNamed();
    void aCostIsToldWhereItExceedsTheNoise_data();
    void aCostIsToldWhereItExceedsTheNoise();
    void anEmptyBundleSaysWhatToDo();
    void aFileThatWasNotCompletedIsNone();
    void whatWasThereBeforeIsNotTheJobs();
    void aFolderIsOneJobs();
    void aFolderThatCannotBeWrittenToIsRefused();
    void damagedMetadataIsIgnored();
    void exitCodesAreTheJobs_data();
    void exitCodesAreTheJobs();
    void theJobSeesItsVariables();
    void aProgramThatIsNotThereIsAnError();
    void signalsGoToTheJob();

private:
    std::string path(const char *name) const
    {
        return m_folder.filePath(QLatin1String(name)).toStdString();
    }
    void write(const std::string &file, const std::string &text) const
    {
        fs::create_directories(fs::path(file).parent_path());
        std::ofstream(file) << text;
    }

    QTemporaryDir m_folder;
};

void RecordingTest::theJobKeepsItsEnvironment()
{
    const Environment own { { "HOME", "/root" },
                            { "PYTHONPATH", "/mine" },
                            { "TEARDOWN_CUPTI", "1" } };
    const Environment job = recordingEnvironment(own, allCollectors(), intoBundle());
    QCOMPARE(valueOf(job, "HOME"), std::string("/root"));
    QCOMPARE(valueOf(job, "PYTHONPATH"), std::string("/c/pytorch/hook:/c/pytorch:/mine"));
    QCOMPARE(valueOf(job, "TEARDOWN_CUPTI"), std::string("(not set)"));
    QCOMPARE(valueOf(job, "BYTEPS_TRACE_ON"), std::string("(not set)"));
}

void RecordingTest::everyCollectorThatIsThereIsLoaded()
{
    const Environment job = recordingEnvironment({}, allCollectors(), intoBundle());
    QCOMPARE(valueOf(job, "LONGPOLE_OUT"), std::string("/bundle"));
    QCOMPARE(valueOf(job, "LONGPOLE_AUTO"), std::string("1"));
    QCOMPARE(valueOf(job, "CUDA_INJECTION64_PATH"), std::string("/c/liblongpole_cupti.so"));
    QCOMPARE(valueOf(job, "NVTX_INJECTION64_PATH"), std::string("/c/liblongpole_cupti.so"));
    QCOMPARE(valueOf(job, "NCCL_PROFILER_PLUGIN"), std::string("/c/libnccl-profiler-longpole.so"));
    QCOMPARE(valueOf(job, "HOROVOD_TIMELINE"), std::string("/bundle/horovod.json"));
}

void RecordingTest::whatIsNotThereIsNotNamed()
{
    const Environment job = recordingEnvironment({}, {}, intoBundle());
    for (const char *name : { "LONGPOLE_AUTO", "PYTHONPATH", "CUDA_INJECTION64_PATH",
                              "NCCL_PROFILER_PLUGIN", "LONGPOLE_ITERATIONS" })
        QCOMPARE(valueOf(job, name), std::string("(not set)"));
}

void RecordingTest::variablesOfOtherToolsStay()
{
    const Environment own { { "CUDA_INJECTION64_PATH", "/nsys.so" },
                            { "NCCL_PROFILER_PLUGIN", "none" },
                            { "HOROVOD_TIMELINE", "/mine.json" } };
    const Environment job = recordingEnvironment(own, allCollectors(), intoBundle());
    for (const auto &[name, value] : own)
        QCOMPARE(valueOf(job, name), value);
    QVERIFY(isSaid(recordingAbilities(own, allCollectors(), true), "left to /nsys.so"));
}

void RecordingTest::askedForIsPassedOn()
{
    RecordingOptions options = intoBundle();
    options.iterations = 20;
    options.warmup = 3;
    options.withMemory = options.withExecutionTrace = true;
    const Environment job
        = recordingEnvironment({ { "LONGPOLE_ITERATIONS", "4" } }, allCollectors(), options);
    QCOMPARE(valueOf(job, "LONGPOLE_ITERATIONS"), std::string("20"));
    QCOMPARE(valueOf(job, "LONGPOLE_WARMUP"), std::string("3"));
    QCOMPARE(valueOf(job, "LONGPOLE_MEMORY"), std::string("1"));
    QCOMPARE(valueOf(job, "LONGPOLE_EXECUTION_TRACE"), std::string("1"));
}

void RecordingTest::bytePsRecordsTheSameIterationsIntoAFolderOfItsHost()
{
    RecordingOptions options = intoBundle();
    options.iterations = 4;
    const Environment job = recordingEnvironment(
        { { "DMLC_ROLE", "worker" }, { "DMLC_WORKER_ID", "2" } }, {}, options);
    QCOMPARE(valueOf(job, "BYTEPS_TRACE_ON"), std::string("1"));
    QCOMPARE(valueOf(job, "BYTEPS_TRACE_START_STEP"), std::string("6"));
    QCOMPARE(valueOf(job, "BYTEPS_TRACE_END_STEP"), std::string("9"));
    QCOMPARE(valueOf(job, "BYTEPS_TRACE_DIR"), std::string("/bundle/byteps/worker2"));
}

void RecordingTest::ranksOfLaunchers_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<int>("rank"); // -1: none
    QTest::newRow("torchrun") << "RANK"
                              << "3" << 3;
    QTest::newRow("Open MPI") << "OMPI_COMM_WORLD_RANK"
                              << "0" << 0;
    QTest::newRow("MPICH") << "PMI_RANK"
                           << "1" << 1;
    QTest::newRow("PMIx") << "PMIX_RANK"
                          << "4" << 4;
    QTest::newRow("Horovod") << "HOROVOD_RANK"
                             << "5" << 5;
    QTest::newRow("Slurm") << "SLURM_PROCID"
                           << "12" << 12;
    QTest::newRow("no number") << "RANK"
                               << "gold" << -1;
    QTest::newRow("no launcher") << "HOME"
                                 << "/" << -1;
}

void RecordingTest::ranksOfLaunchers()
{
    QFETCH(const QString, name);
    QFETCH(const QString, value);
    QFETCH(const int, rank);
    QCOMPARE(rankOfLauncher({ { name.toStdString(), value.toStdString() } }).value_or(-1), rank);
}

void RecordingTest::abilitiesSayWhyNot()
{
    const auto bare = recordingAbilities({}, {}, false);
    QVERIFY(isSaid(bare, "PyTorch: no"));
    QVERIFY(isSaid(bare, "GPU kernels: no, there is no NVIDIA driver"));
    QVERIFY(isSaid(bare, "BytePS: no, DMLC_ROLE"));
    const auto withDriver = recordingAbilities({}, {}, true);
    QVERIFY(isSaid(withDriver, "GPU kernels: by torch.profiler only"));
    QVERIFY(isSaid(withDriver, "messages of NCCL: no, libnccl-profiler-longpole.so is not beside"));
    const auto whole = recordingAbilities({ { "DMLC_ROLE", "worker" } }, allCollectors(), true);
    QVERIFY(!std::any_of(whole.begin(), whole.end(), [](const std::string &line) {
        return line.find(": no") != std::string::npos;
    }));
}

void RecordingTest::collectorsAreFoundInTheFirstFolder()
{
    write(path("a/liblongpole_cupti.so"), "");
    write(path("b/liblongpole_cupti.so"), "");
    write(path("b/pytorch/longpole/__init__.py"), "");
    const CollectorFiles found = findCollectors({ path("absent"), path("a"), path("b/../b") });
    QCOMPARE(found.cupti->string(), path("a/liblongpole_cupti.so"));
    QCOMPARE(found.python->string(), path("b/pytorch"));
    QVERIFY(!found.nccl);
}

void RecordingTest::aBundleIsDescribed()
{
    write(path("whole/rank0.pt.trace.json.gz"), std::string(1'048'576, 'x'));
    write(path("whole/rank1.pt.trace.json.gz"), "");
    write(path("whole/node0/host-0-17.nccl.lp"), "");
    write(path("whole/meta.json"), "{\"workers\": 2, \"profiled_iterations\": 6}");
    const auto lines = bundleLines(lookAtBundle(path("whole")), "whole");
    QCOMPARE(lines,
             (std::vector<std::string> {
                 "recorded 2 of 2 ranks, 6 iterations each: 4 files, 1.0 MiB in whole" }));
}

void RecordingTest::missingRanksAreNamed()
{
    write(path("part/rank1.pt.trace.json.gz"), "");
    write(path("part/rankX.pt.trace.json.gz"), "");
    write(path("part/meta.json"), "{\"workers\": 4}");
    const auto lines = bundleLines(lookAtBundle(path("part")), "part");
    QVERIFY2(isSaid(lines, "recorded 1 of 4 ranks"), lines.front().c_str());
    QVERIFY2(isSaid(lines, "nothing of ranks 0, 2, 3: if they ran on other hosts"),
             lines.back().c_str());
    QVERIFY2(isSaid(lines, "killed before the end of its recording"), lines.back().c_str());
}

/// "13.2 % longer" was told of three iterations that differ by more.
void RecordingTest::aCostIsToldWhereItExceedsTheNoise_data()
{
    QTest::addColumn<std::string>("timing");
    QTest::addColumn<std::string>("line");
    const std::string errors
        = "\"unrecorded_iterations\": 5, \"recorded_iterations\": 5, "
          "\"unrecorded_error_fraction\": 0.003, \"recorded_error_fraction\": 0.004, ";
    const std::string of = "medians of 5 recorded and 5 iterations before)";
    // Welch: (9 + 16)^2 / (81 / 4 + 256 / 4) = 7.4 degrees; t of 7 is 2.365: 2.365 * 0.5 % * ratio.
    QTest::newRow("longer")
        << errors + "\"overhead_fraction\": 0.021"
        << "rank 0's recorded iterations took 2.1 % (+-1.2 %) longer than those "
           "before ("
            + of;
    QTest::newRow("less") << errors + "\"overhead_fraction\": -0.0552"
                          << "rank 0's recorded iterations took 5.5 % (+-1.1 %) less than those "
                             "before ("
            + of;
    QTest::newRow("noise") << errors + "\"overhead_fraction\": 0.011"
                           << "rank 0's recorded iterations took as long as those before, within "
                              "the noise of these iterations (+-1.2 %; "
            + of;
    QTest::newRow("impossible errors")
        << std::string("\"unrecorded_iterations\": 5, \"recorded_iterations\": 5, "
                       "\"unrecorded_error_fraction\": 1e200, \"recorded_error_fraction\": "
                       "1e200, \"overhead_fraction\": 0.5")
        << std::string("what recording costs cannot be told from so few iterations of rank 0 "
                       "(medians of 5 recorded and 5 iterations before); more --warmup and "
                       "--iterations tell it");
    QTest::newRow("one iteration")
        << std::string("\"unrecorded_iterations\": 3, \"recorded_iterations\": 1, "
                       "\"overhead_fraction\": 0.132")
        << std::string("what recording costs cannot be told from so few iterations of rank 0 "
                       "(medians of 1 recorded and 3 iterations before); more --warmup and "
                       "--iterations tell it");
}

void RecordingTest::aCostIsToldWhereItExceedsTheNoise()
{
    QFETCH(const std::string, timing);
    QFETCH(const std::string, line);
    write(path("cost/rank0.pt.trace.json.gz"), "");
    write(path("cost/meta.json"), "{\"timing\": {" + timing + "}}");
    const auto lines = bundleLines(lookAtBundle(path("cost")), "cost");
    QCOMPARE(lines.back(), line);
}

void RecordingTest::anEmptyBundleSaysWhatToDo()
{
    fs::create_directories(path("empty"));
    const auto lines = bundleLines(lookAtBundle(path("empty")), "empty");
    QCOMPARE(lines.size(), 1U);
    QVERIFY(isSaid(lines, "nothing was recorded"));
    QVERIFY(isSaid(lines, "--warmup"));
    QVERIFY(isSaid(lines, "two lines in the program"));
}

void RecordingTest::aFileThatWasNotCompletedIsNone()
{
    write(path("ended/rank0.pt.trace.json.gz.786.part"), "x");
    const auto empty = bundleLines(lookAtBundle(path("ended")), "ended");
    QCOMPARE(empty.size(), 2U);
    QVERIFY2(isSaid(empty, "1 file (.part) not written to the end"), empty.front().c_str());
    QVERIFY2(isSaid(empty, "nothing was recorded"), empty.back().c_str());
    write(path("ended/rank1.pt.trace.json.gz"), "");
    QVERIFY(isSaid(bundleLines(lookAtBundle(path("ended")), "ended"), "1 rank: 1 file,"));
}

/// With --append: it was told as what this job had recorded.
void RecordingTest::whatWasThereBeforeIsNotTheJobs()
{
    write(path("twice/rank0.pt.trace.json.gz"), "x");
    const RecordedBundle before = lookAtBundle(path("twice"));
    const auto none = bundleLines(lookAtBundle(path("twice")), "twice", before);
    QCOMPARE(none.size(), 1U);
    QVERIFY2(isSaid(none, "this job added nothing to twice"), none.front().c_str());
    write(path("twice/rank1.pt.trace.json.gz"), "x");
    QVERIFY(isSaid(bundleLines(lookAtBundle(path("twice")), "twice", before), "recorded 2 ranks"));
}

void RecordingTest::aFolderIsOneJobs()
{
    const auto refusal = [this](bool isShared) -> std::string {
        try {
            const RecordingFolder second(path("one/job"), isShared);
            return {};
        } catch (const Error &error) {
            return error.message();
        }
    };
    {
        const RecordingFolder first(path("one/job"), false);
        QVERIFY(refusal(false).find("Another job is being recorded") != std::string::npos);
        QVERIFY(refusal(true).empty());
    }
    QVERIFY(refusal(false).empty());
    write(path("one/job/rank0.pt.trace.json.gz"), "");
    QVERIFY(refusal(false).find("not empty") != std::string::npos);
    QVERIFY(refusal(true).empty());
    fs::remove(path("one/job/rank0.pt.trace.json.gz")); // a refused claim is none
    QVERIFY(refusal(false).empty());
}

/// That was found out by the job's last recorded iteration.
void RecordingTest::aFolderThatCannotBeWrittenToIsRefused()
{
    // The system's own folders are for nobody to write to, root included.
    QVERIFY_THROWS_EXCEPTION(Error, RecordingFolder("/proc/self", true));
    write(path("file"), "");
    QVERIFY_THROWS_EXCEPTION(Error, RecordingFolder(path("file"), false));
}

void RecordingTest::damagedMetadataIsIgnored()
{
    write(path("damaged/rank0.pt.trace.json.gz"), "");
    for (const char *text : { "", "{", "[]", "{\"workers\": -3, \"profiled_iterations\": \"x\"}",
                              "{\"workers\": 18446744073709551615, \"timing\": 3}" }) {
        write(path("damaged/meta.json"), text);
        const RecordedBundle bundle = lookAtBundle(path("damaged"));
        QVERIFY(!bundle.worldSize && !bundle.iterations && !bundle.cost);
        QCOMPARE(bundle.ranks, (std::set<int> { 0 }));
    }
}

void RecordingTest::exitCodesAreTheJobs_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("code");
    QTest::newRow("done") << "true" << 0;
    QTest::newRow("failed") << "exit 7" << 7;
    QTest::newRow("killed") << "kill -KILL $$" << 128 + SIGKILL;
}

void RecordingTest::exitCodesAreTheJobs()
{
    QFETCH(const QString, script);
    QFETCH(const int, code);
    QCOMPARE(runJob({ "sh", "-c", script.toStdString() }, ownEnvironment()), code);
}

void RecordingTest::theJobSeesItsVariables()
{
    Environment environment = ownEnvironment();
    environment["LONGPOLE_OUT"] = "a b=c";
    QCOMPARE(runJob({ "sh", "-c", "test \"$LONGPOLE_OUT\" = 'a b=c' && exit 5" }, environment), 5);
}

void RecordingTest::aProgramThatIsNotThereIsAnError()
{
    try {
        runJob({ "/no/such/program" }, {});
        QFAIL("it was started");
    } catch (const Error &error) {
        QVERIFY2(error.message().find("/no/such/program") != std::string::npos, error.what());
    }
}

/// The job signals this process, which must not end, but pass it on.
void RecordingTest::signalsGoToTheJob()
{
    const std::string script = "trap 'exit 42' TERM; kill -TERM $PPID; "
                               "i=0; while [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done";
    QCOMPARE(runJob({ "sh", "-c", script }, ownEnvironment()), 42);
}

QTEST_GUILESS_MAIN(RecordingTest)
#include "tst_recording.moc"
