#include "core/base/error.h"
#include "core/commands/profile/recorded_bundle.h"
#include "core/commands/profile/recording_folder.h"
#include "tests/support/lines.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using namespace core;
using tests::isSaid;
namespace fs = std::filesystem;

/// What a job has left in its folder, and what is said of it.
class RecordedBundleTest : public QObject
{
    Q_OBJECT

private slots:
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

void RecordedBundleTest::aBundleIsDescribed()
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

void RecordedBundleTest::missingRanksAreNamed()
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
void RecordedBundleTest::aCostIsToldWhereItExceedsTheNoise_data()
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

void RecordedBundleTest::aCostIsToldWhereItExceedsTheNoise()
{
    QFETCH(const std::string, timing);
    QFETCH(const std::string, line);
    write(path("cost/rank0.pt.trace.json.gz"), "");
    write(path("cost/meta.json"), "{\"timing\": {" + timing + "}}");
    const auto lines = bundleLines(lookAtBundle(path("cost")), "cost");
    QCOMPARE(lines.back(), line);
}

void RecordedBundleTest::anEmptyBundleSaysWhatToDo()
{
    fs::create_directories(path("empty"));
    const auto lines = bundleLines(lookAtBundle(path("empty")), "empty");
    QCOMPARE(lines.size(), 1U);
    QVERIFY(isSaid(lines, "nothing was recorded"));
    QVERIFY(isSaid(lines, "--warmup"));
    QVERIFY(isSaid(lines, "two lines in the program"));
}

void RecordedBundleTest::aFileThatWasNotCompletedIsNone()
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
void RecordedBundleTest::whatWasThereBeforeIsNotTheJobs()
{
    write(path("twice/rank0.pt.trace.json.gz"), "x");
    const RecordedBundle before = lookAtBundle(path("twice"));
    const auto none = bundleLines(lookAtBundle(path("twice")), "twice", before);
    QCOMPARE(none.size(), 1U);
    QVERIFY2(isSaid(none, "this job added nothing to twice"), none.front().c_str());
    write(path("twice/rank1.pt.trace.json.gz"), "x");
    QVERIFY(isSaid(bundleLines(lookAtBundle(path("twice")), "twice", before), "recorded 2 ranks"));
}

void RecordedBundleTest::aFolderIsOneJobs()
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
void RecordedBundleTest::aFolderThatCannotBeWrittenToIsRefused()
{
    // The system's own folders are for nobody to write to, root included.
    QVERIFY_THROWS_EXCEPTION(Error, RecordingFolder("/proc/self", true));
    write(path("file"), "");
    QVERIFY_THROWS_EXCEPTION(Error, RecordingFolder(path("file"), false));
}

void RecordedBundleTest::damagedMetadataIsIgnored()
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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RecordedBundleTest)
#include "tst_recorded_bundle.moc"
