#include "longpole_program.h"

#include <QStandardPaths>
#include <QTest>

#include <fstream>

using namespace tests;

namespace {

/// A job that writes what a recorder would: the bundled sample.
const Words CopySample { "sh", "-c", "cp \"$0\"/rank*.gz \"$LONGPOLE_OUT\"", Sample };

Words profile(const std::string &folder, const Words &options, const Words &program)
{
    Words words { "profile", "-o", folder };
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return words;
}

} // namespace

class TestProfileCommand : public QObject
{
    Q_OBJECT

private slots:
    void theExitCodeIsTheJobs();
    void optionsOfTheProgramAreItsOwn();
    void theJobsOutputIsUntouched();
    void abilitiesAndTheNextCommandAreTold();
    void whereNothingIsRecordedThatIsTold();
    void quietIsQuiet();
    void aFolderWithRecordingsIsRefused();
    void ranksOfALauncherShareAFolder();
    void importOpensTheRecording();
    void importSparesAnExistingProject();
    void aProgramThatIsNotThereIsNamed();
    void withoutAProgramTheUsageIsWrong();
    void theRecorderIsFoundInTheBuild();

private:
    std::string path(const char *name) const { return m_folder.path(name); }

    SampleFolder m_folder;
};

void TestProfileCommand::theExitCodeIsTheJobs()
{
    const Run run = longpole(profile(path("exit"), {}, { "sh", "-c", "exit 7" }));
    QVERIFY2(run.code == 7, run.text());
}

void TestProfileCommand::optionsOfTheProgramAreItsOwn()
{
    const Run run = longpole(profile(path("options"), { "--iterations", "3" },
                                     { "sh", "-c", "echo $LONGPOLE_ITERATIONS \"$@\"", "sh",
                                       "--iterations", "9", "--", "-o", "x" }));
    QVERIFY2(run.code == 0, run.text());
    QCOMPARE(run.out, QByteArray("3 --iterations 9 -- -o x\n"));
}

void TestProfileCommand::theJobsOutputIsUntouched()
{
    const Run run = longpole(profile(path("output"), {}, { "sh", "-c", "printf result" }));
    QCOMPARE(run.out, QByteArray("result"));
}

void TestProfileCommand::abilitiesAndTheNextCommandAreTold()
{
    const std::string folder = path("told");
    const Run run = longpole(profile(folder, {}, CopySample));
    QVERIFY2(run.code == 0, run.text());
    QVERIFY2(run.err.contains("PyTorch: ") && run.err.contains("GPU kernels: "), run.text());
    QVERIFY2(run.err.contains("recorded 2 ranks"), run.text());
    const QByteArray next
        = QByteArray::fromStdString("longpole import " + folder + " -o " + folder + ".longpole");
    QVERIFY2(run.err.contains(next), run.text());
}

void TestProfileCommand::whereNothingIsRecordedThatIsTold()
{
    const Run run = longpole(profile(path("nothing"), {}, { "true" }));
    QVERIFY2(run.code == 0 && run.err.contains("nothing was recorded"), run.text());
}

void TestProfileCommand::quietIsQuiet()
{
    qputenv("LONGPOLE_QUIET", "1");
    const Run run = longpole(profile(path("quiet"), {}, { "sh", "-c", "echo job; exit 3" }));
    const Run failed = longpole(profile(path("absent"), {}, { "no-such-program" }));
    qunsetenv("LONGPOLE_QUIET");
    QVERIFY2(run.code == 3 && run.err.isEmpty(), run.text());
    QCOMPARE(run.out, QByteArray("job\n"));
    QVERIFY2(failed.err.contains("cannot be started"), failed.text());
}

void TestProfileCommand::aFolderWithRecordingsIsRefused()
{
    const std::string folder = path("refused");
    QCOMPARE(longpole(profile(folder, {}, CopySample)).code, 0);
    const Run again = longpole(profile(folder, {}, { "touch", path("must-not-run") }));
    QVERIFY2(again.code == 1 && again.err.contains("not empty"), again.text());
    QVERIFY(!std::filesystem::exists(path("must-not-run")));
    const Run added = longpole(profile(folder, { "--append" }, { "true" }));
    QVERIFY2(added.code == 0 && added.err.contains("added nothing"), added.text());
}

/// srun starts this command once for each rank.
void TestProfileCommand::ranksOfALauncherShareAFolder()
{
    const std::string folder = path("shared");
    QCOMPARE(longpole(profile(folder, {}, CopySample)).code, 0);
    qputenv("SLURM_PROCID", "1");
    const Run second = longpole(profile(folder, {}, { "true" }));
    qunsetenv("SLURM_PROCID");
    QVERIFY2(second.code == 0 && second.err.isEmpty(), second.text());
}

void TestProfileCommand::importOpensTheRecording()
{
    qunsetenv("DISPLAY");
    qunsetenv("WAYLAND_DISPLAY");
    const std::string folder = path("imported/");
    const Run run = longpole(profile(folder, { "--import" }, CopySample));
    QVERIFY2(run.code == 0, run.text());
    QVERIFY2(run.err.contains("imported.longpole: "), run.text());
    QVERIFY2(run.err.contains("longpole diagnose"), run.text());
    const Run info = longpole({ "info", path("imported.longpole"), "--json" });
    QCOMPARE(info.json()["ranks"].size(), 2U);
}

void TestProfileCommand::importSparesAnExistingProject()
{
    std::ofstream(path("kept.longpole")) << "mine";
    const Run run
        = longpole(profile(path("kept"), { "--import" }, { "touch", path("must-not-run") }));
    QVERIFY2(run.code == 1 && run.err.contains("kept.longpole"), run.text());
    QVERIFY(!std::filesystem::exists(path("must-not-run")));
}

void TestProfileCommand::aProgramThatIsNotThereIsNamed()
{
    const Run run = longpole(profile(path("absent"), {}, { "no-such-program" }));
    QVERIFY2(run.code == 1 && run.err.contains("'no-such-program' cannot be started"), run.text());
}

void TestProfileCommand::withoutAProgramTheUsageIsWrong()
{
    QCOMPARE(longpole({ "profile", "-o", path("usage") }).code, 2);
    QCOMPARE(longpole({ "profile", "--", "true" }).code, 2);
}

/// A Python program finds the recorder without a variable of the user's, and has imported nothing
/// for it.
void TestProfileCommand::theRecorderIsFoundInTheBuild()
{
    if (QStandardPaths::findExecutable(QStringLiteral("python3")).isEmpty())
        QSKIP("there is no python3");
    const Run run = longpole(profile(
        path("python"), {},
        { "python3", "-c",
          "import sys, longpole.start; print(longpole.start.WATCHED, 'torch' in sys.modules, "
          "type(sys.meta_path[0]).__name__)" }));
    QVERIFY2(run.code == 0, run.text());
    QCOMPARE(run.out, QByteArray("torch.optim.optimizer False AfterImport\n"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestProfileCommand)
#include "tst_profile_command.moc"
