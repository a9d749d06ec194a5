#include "longpole_program.h"

#include <QFile>
#include <QFileInfo>

using namespace tests;

/// `longpole graph` on the bundled sample: formats, and what it refuses.
class TestGraphCommand : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void itWritesEachFormat_data();
    void itWritesEachFormat();
    void theTitleSaysWhatIsShown();
    void itRefuses_data();
    void itRefuses();
    void theHelpPageNamesAllOptions();

private:
    SampleFolder m_folder;
};

void TestGraphCommand::initTestCase()
{
    const Run run = m_folder.import();
    QVERIFY2(run.code == 0, run.text());
}

void TestGraphCommand::itWritesEachFormat_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("start");
    QTest::newRow("svg") << QStringLiteral("g.svg") << QByteArray("<svg");
    QTest::newRow("in capitals") << QStringLiteral("h.SVG") << QByteArray("<svg");
    QTest::newRow("dot") << QStringLiteral("g.dot") << QByteArray("digraph");
    QTest::newRow("graphml") << QStringLiteral("g.graphml") << QByteArray("<?xml");
    QTest::newRow("png") << QStringLiteral("g.png") << QByteArray("\x89PNG");
}

void TestGraphCommand::itWritesEachFormat()
{
    QFETCH(const QString, file);
    QFETCH(const QByteArray, start);
    const QString window = QFileInfo(QStringLiteral(LONGPOLE_PROGRAM)).absolutePath()
        + QStringLiteral("/longpole-ui");
    if (file.endsWith(QLatin1String("png")) && !QFileInfo::exists(window))
        QSKIP("needs longpole-ui beside longpole");
    const std::string path = m_folder.path(qPrintable(file));
    const Run run = longpole({ "graph", m_folder.project(), "-o", path, "--level", "ops" });
    QVERIFY2(run.code == 0, run.text());
    QFile written(QString::fromStdString(path));
    QVERIFY(written.open(QIODevice::ReadOnly));
    QVERIFY(written.readAll().startsWith(start));
}

void TestGraphCommand::theTitleSaysWhatIsShown()
{
    const std::string path = m_folder.path("title.svg");
    const Run run = longpole({ "graph", m_folder.project(), "-o", path, "--set", "bucket_cap_mb=5",
                               "--iteration", "3", "--arrange", "layers", "--ranks", "0-1" });
    QVERIFY2(run.code == 0, run.text());
    QFile written(QString::fromStdString(path));
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray text = written.readAll();
    QVERIFY2(text.contains("Predicted iteration 3 with bucket_cap_mb=5"), text.left(2000));
    QVERIFY(text.contains("Longest on the critical path: all_reduce 16.0 MiB"));
}

void TestGraphCommand::itRefuses_data()
{
    QTest::addColumn<Words>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char *name, const Words &arguments, int code, const char *message) {
        QTest::newRow(name) << arguments << code << QByteArray(message);
    };
    const std::string file = m_folder.path("r.svg");
    row("another suffix", { "-o", m_folder.path("r.txt") }, 2, "the name's end tells the format");
    row("a rank that there is not", { "-o", file, "--ranks", "7" }, 2, "There is no rank 7");
    row("ranks that are none", { "-o", file, "--ranks", "1-x" }, 2, "numbers and ranges");
    row("another iteration", { "-o", file, "--iteration", "99" }, 2, "There are: 0-5");
    row("an unknown setting", { "-o", file, "--set", "nothing=1" }, 2, "nothing");
    row("the project itself", { "-o", m_folder.project(), "--force" }, 2, "format");
}

void TestGraphCommand::itRefuses()
{
    QFETCH(const Words, arguments);
    QFETCH(const int, code);
    QFETCH(const QByteArray, message);
    Words all { "graph", m_folder.project() };
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Run run = longpole(all);
    QVERIFY2(run.code == code, run.text());
    QVERIFY2(run.err.contains(message), run.text());
}

void TestGraphCommand::theHelpPageNamesAllOptions()
{
    QFile page(QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/help/graph.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray text = page.readAll();
    for (const char *option : { "--level", "--arrange", "--ranks", "--iteration", "--unfold",
                                "--set", "--strategy", "--width", "--dark" }) {
        QVERIFY2(text.contains(option), option);
        const Run run = longpole({ "graph", "--help" });
        QVERIFY2(run.out.contains(option), option);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGraphCommand)
#include "tst_graph_command.moc"
