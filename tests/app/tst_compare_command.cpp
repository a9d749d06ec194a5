#include "longpole_program.h"

#include <fstream>
#include <iterator>

using namespace tests;

/// The program's answer on a later run: words, exit codes, and the keys that its help page names.
class TestCompareCommand : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void theExitCodeIsTheVerdict_data();
    void theExitCodeIsTheVerdict();
    void theHelpPageNamesAllKeys();
    void anExportedFileNamesTheCommand();
    void failuresNameTheProject();
    void promisesCountFromTheMeasuredIteration();

private:
    std::string strategy() const { return m_folder.path("strategy.json"); }
    std::string slower() const { return m_folder.path("slower.longpole"); }
    std::string asPromised() const { return m_folder.path("promised.longpole"); }
    /// A project of the timeline that is predicted with a setting: no recording, but the program
    /// reads it as one. It shows iterations, and no parts of them.
    void makeRun(const std::string &setting, const std::string &project) const;

    SampleFolder m_folder;
};

void TestCompareCommand::makeRun(const std::string &setting, const std::string &project) const
{
    const std::string trace = project + ".json.gz";
    const Run written
        = longpole({ "export-trace", m_folder.project(), "--set", setting, "-o", trace });
    QVERIFY2(written.code == 0, written.text());
    const Run imported = longpole({ "import", trace, "-o", project });
    QVERIFY2(imported.code == 0, imported.text());
}

void TestCompareCommand::initTestCase()
{
    const Run run = m_folder.import();
    QVERIFY2(run.code == 0, run.text());
    std::ofstream(strategy()) << R"({"schema":"longpole-strategy","version":1,
        "changes":[{"key":"bucket_cap_mb","value":5}]})";
    makeRun("compute_scale=3", slower());
    makeRun("bucket_cap_mb=5", asPromised());
}

void TestCompareCommand::theExitCodeIsTheVerdict_data()
{
    QTest::addColumn<Words>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("beginning");
    const auto row = [](const char *name, const Words &arguments, int code, const char *beginning) {
        QTest::newRow(name) << arguments << code << QByteArray(beginning);
    };
    const std::string sample = m_folder.project();
    row("the same run", { "compare", sample, sample }, 0,
        "No difference: 669.9 ms instead of 669.9 ms, within the noise of ");
    row("a slower run", { "compare", sample, slower() }, 4, "Slower: 1.203 s instead of 669.9 ms");
    row("as promised", { "compare", sample, asPromised(), "--strategy", strategy() }, 0,
        "Kept: 547.4 ms instead of 669.9 ms, promised 547.3 ms (");
    row("slower than promised", { "compare", sample, slower(), "--strategy", strategy() }, 4,
        "Not kept: 1.203 s instead of 669.9 ms, promised 547.3 ms (");
    row("the config was not used", { "compare", sample, sample, "--strategy", strategy() }, 5,
        "Inconclusive: the later run still has 2 buckets of 4,14 tensors, but the strategy makes "
        "3 buckets of 4,2,12 tensors: the config was not used.");
    row("settings instead of a file",
        { "compare", sample, asPromised(), "--set", "bucket_cap_mb=5" }, 0, "Kept: 547.4 ms ");
    row("no such setting", { "compare", sample, sample, "--set", "bucket=5" }, 2, "");
    row("no such strategy", { "compare", sample, sample, "--strategy", "absent.json" }, 1, "");
    row("one project", { "compare", sample }, 2, "");
}

void TestCompareCommand::theExitCodeIsTheVerdict()
{
    QFETCH(const Words, arguments);
    QFETCH(const int, code);
    QFETCH(const QByteArray, beginning);
    const Run run = longpole(arguments);
    QVERIFY2(run.code == code && run.out.startsWith(beginning), run.text());
    QCOMPARE(run.err.isEmpty(), !beginning.isEmpty());
    Words withJson = arguments;
    withJson.emplace_back("--json");
    if (!beginning.isEmpty())
        QCOMPARE(longpole(withJson).code, code);
}

void TestCompareCommand::theHelpPageNamesAllKeys()
{
    std::ifstream file(LONGPOLE_SOURCE_DIR "/resources/help/compare-runs.md");
    const std::string page { std::istreambuf_iterator<char>(file), {} };
    const Json json = longpole({ "compare", m_folder.project(), m_folder.project(), "--strategy",
                                 strategy(), "--json" })
                          .json();
    QCOMPARE(json["verdict"], "inconclusive");
    QCOMPARE(json["doubts"], Json::array({ "other_buckets" }));
    QVERIFY(json["promise"]["gain_ns"].get<std::int64_t>() > 0);
    QCOMPARE(json["parts"].size(), 4U);
    std::size_t keys = 0;
    const auto check = [&](const Json &object, const std::string &but, const auto &again) -> void {
        for (const auto &[key, value] : object.items()) {
            ++keys;
            QVERIFY2(page.find("`" + key + "`") != std::string::npos, key.c_str());
            if (value.is_object() && key != but)
                again(value, but, again);
        }
    };
    check(json, "settings", check); // its keys are those of --set
    QVERIFY(keys > 40);
}

/// It may have other sizes of buckets than the strategy.
void TestCompareCommand::anExportedFileNamesTheCommand()
{
    const std::string module = m_folder.path("longpole_ddp.py");
    const Run run = longpole({ "export", m_folder.project(), "--strategy", strategy(), "--to",
                               "pytorch-ddp", "-o", module });
    QVERIFY2(run.code == 0, run.text());
    std::ifstream file(module);
    const std::string text { std::istreambuf_iterator<char>(file), {} };
    QVERIFY(text.find("# longpole compare PROJECT LATER --set bucket_cap_mb=5 "
                      "--set first_bucket_mb=1\n")
            != std::string::npos);
}

void TestCompareCommand::failuresNameTheProject()
{
    const std::string absent = m_folder.path("absent.longpole");
    const Run run = longpole({ "compare", m_folder.project(), absent });
    QVERIFY2(run.code == 1 && run.err.contains("absent.longpole"), run.text());
}

/// The replay of the sample differs from its measured iteration, from which promises count here.
void TestCompareCommand::promisesCountFromTheMeasuredIteration()
{
    const Json json = longpole({ "compare", m_folder.project(), asPromised(), "--strategy",
                                 strategy(), "--json" })
                          .json();
    const Json &promise = json["promise"];
    const auto earlierNs = json["earlier"]["iteration_ns"].get<std::int64_t>();
    QCOMPARE(promise["iteration_ns"].get<std::int64_t>(),
             earlierNs - promise["gain_ns"].get<std::int64_t>());
    QCOMPARE(promise["iteration_ci95_ns"][1].get<std::int64_t>(),
             earlierNs - promise["gain_ci95_ns"][0].get<std::int64_t>());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCompareCommand)
#include "tst_compare_command.moc"
