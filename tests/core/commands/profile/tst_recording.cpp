#include "core/base/error.h"
#include "core/commands/profile/collector_files.h"
#include "core/commands/profile/job_process.h"
#include "core/commands/profile/recorded_bundle.h"
#include "core/commands/profile/recording_environment.h"
#include "core/commands/profile/recording_folder.h"
#include "tests/support/lines.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

using namespace core;
using tests::isSaid;
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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RecordingTest)
#include "tst_recording.moc"
