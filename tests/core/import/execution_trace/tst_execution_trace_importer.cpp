#include "core/base/error.h"
#include "core/import/execution_trace/execution_trace_importer.h"
#include "core/import/execution_trace/op_schema.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QFile>
#include <QTest>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

const core::ExecutionTraceImporter &importer()
{
    static const core::ExecutionTraceImporter theImporter;
    return theImporter;
}

std::string fileContents(const QString &name)
{
    QFile file(QStringLiteral(LONGPOLE_SOURCE_DIR "/tests/data/pytorch_et/") + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

RecordingSink imported(const std::string &json, std::size_t blockSize = 1 << 20)
{
    MemoryEntry entry(json, blockSize);
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
}

/// An op that reads tensor (and storage) `in` and gives out `out`.
std::string node(int id, int in, int out)
{
    const auto tensor = [](int number) {
        const std::string text = std::to_string(number);
        return '[' + text + ',' + text + ",0,1,4,\"cpu\"]";
    };
    return R"({"name": "op", "id": )" + std::to_string(id) + R"(, "rf_id": )" + std::to_string(id)
        + R"(, "parent": 1, "inputs": [)" + tensor(in) + R"(], "outputs": [)" + tensor(out) + "]}";
}

std::string trace(const std::string &nodes)
{
    return R"({"schema": "1.0.1", "pid": 1, "nodes": [)" + nodes + R"(], "finish_ts": 2})";
}

std::string dependencies(const RecordingSink &sink)
{
    std::string all;
    for (const std::string &note : sink.notes())
        all += note.starts_with("dependency data ") ? note.substr(16) + '\n' : "";
    return all;
}

void compareWithGolden(const RecordingSink &sink, const QString &name)
{
    const std::string actual = sink.text() + sink.diagnosticsText();
    if (actual == fileContents(name))
        return;
    QFile out(QStringLiteral(LONGPOLE_BINARY_DIR "/") + name + QStringLiteral(".actual"));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QByteArray::fromStdString(actual));
    QFAIL(("differs from " + name.toStdString() + ":\n" + actual).c_str());
}

} // namespace

class ExecutionTraceImporterTest : public QObject
{
    Q_OBJECT

private slots:
    /// To tell the trace of another model from that of the timeline.
    void someOpsAreNamed()
    {
        const auto namesOf = [](int ops) {
            std::string nodes;
            for (int i = 0; i < ops; ++i)
                nodes += (i > 0 ? "," : "") + node(i + 2, i, i + 1);
            const RecordingSink sink = imported(trace(nodes));
            QStringList lines;
            for (const std::string &note : sink.notes())
                if (note.starts_with("metadata op_names "))
                    lines = QString::fromStdString(note.substr(18))
                                .trimmed()
                                .split(QLatin1Char('\n'));
            return lines;
        };
        QCOMPARE(namesOf(2), QStringList({ QStringLiteral("2 op"), QStringLiteral("3 op") }));
        QCOMPARE(namesOf(512).size(), 512);
        const QStringList sampled = namesOf(2000); // every fourth
        QCOMPARE(sampled.size(), 500);
        QCOMPARE(sampled[1], QStringLiteral("6 op"));
        QCOMPARE(sampled.last(), QStringLiteral("1998 op"));
    }
    void bothGenerationsOfTheSchemaGiveTheSameDependencies_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("1.0.1") << QStringLiteral("flat_members.json");
        QTest::newRow("1.1.0") << QStringLiteral("nested_attributes.json");
    }
    void bothGenerationsOfTheSchemaGiveTheSameDependencies()
    {
        QFETCH(QString, file);
        const std::string json = fileContents(file);
        QVERIFY(importer().recognizes("et.json", json));
        compareWithGolden(imported(json), QStringLiteral("dependencies.txt"));
    }

    void aLinkedTraceHasSlicesAndWaits()
    {
        compareWithGolden(imported(fileContents(QStringLiteral("linked.json"))),
                          QStringLiteral("linked.txt"));
    }

    void theSizeOfTheBlocksDoesNotMatter()
    {
        const std::string json = fileContents(QStringLiteral("nested_attributes.json"));
        const std::string expected = imported(json).text();
        for (const std::size_t blockSize : { 1U, 7U, 100U })
            QCOMPARE(imported(json, blockSize).text(), expected);
    }

    void schemasTellWhichArgumentsAreWritten_data()
    {
        QTest::addColumn<QByteArray>("schema");
        QTest::addColumn<qulonglong>("mutated");
        QTest::newRow("none") << QByteArray("aten::t(Tensor(a) self) -> Tensor(a)") << 0ULL;
        QTest::newRow("first") << QByteArray("f(Tensor(a!) self, Tensor b) -> Tensor(a!)") << 1ULL;
        QTest::newRow("keyword only")
            << QByteArray("f(Tensor a, int[2] b, *, Tensor(c!) out) -> Tensor(c!)") << 4ULL;
        QTest::newRow("list") << QByteArray("f(Tensor(a!)[] s, Tensor(b!)[] g, int n) -> ()")
                              << 3ULL;
    }
    void schemasTellWhichArgumentsAreWritten()
    {
        QFETCH(QByteArray, schema);
        QFETCH(qulonglong, mutated);
        QCOMPARE(core::mutatedArguments(schema.toStdString()).value(), std::uint64_t { mutated });
    }
    void schemasWithoutArgumentsTellNothing()
    {
        QVERIFY(!core::mutatedArguments(""));
        QVERIFY(!core::mutatedArguments("f(Tensor(a!) self"));
        QVERIFY(!core::mutatedArguments(")"));
    }

    void damageCostsTheDamagedNodesOnly_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("kept");
        QTest::addColumn<QByteArray>("diagnostics");
        const auto row = [](const char *title, const std::string &json, const char *kept,
                            const char *diagnostics) {
            QTest::newRow(title) << QByteArray::fromStdString(json) << QByteArray(kept)
                                 << QByteArray(diagnostics);
        };
        const std::string a = node(5, 3, 4);
        const std::string b = node(7, 4, 6);
        const std::string c = node(9, 6, 8);
        row("nothing wrong", trace(a + ',' + b + ',' + c), "5 -> 7\n7 -> 9\n", "");
        row("a quote in a name", trace(a + ",{\"name\": \"x\"y\", \"id\": 6, \"parent\": 1}," + b),
            "5 -> 7\n", "damaged-node error 1 at=152\n");
        row("a lost brace", trace(a + ',' + c.substr(0, c.size() - 1) + ',' + b), "5 -> 7\n",
            "damaged-node error 1 at=152\n");
        row("no id", trace(a + R"(,{"name": "x"},)" + b), "5 -> 7\n",
            "damaged-node error 1 at=152\n");
        row("a number", trace(a + ",4," + b), "5 -> 7\n", "damaged-node error 1 at=152\n");
        row("cut in a node", trace(a + ',' + b).substr(0, 250), "",
            "truncated-file error 1 at=152\n");
        row("cut after a node", trace(a).substr(0, 151), "", "truncated-file warning 1 at=151\n");
        row("twice the same id", trace(a + ',' + b + ',' + b), "5 -> 7\n",
            "duplicate-node error 1 at=264\n");
    }
    void damageCostsTheDamagedNodesOnly()
    {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, kept);
        QFETCH(QByteArray, diagnostics);
        const RecordingSink sink = imported(json.toStdString());
        QCOMPARE(QByteArray::fromStdString(dependencies(sink)), kept);
        QByteArray found = QByteArray::fromStdString(sink.diagnosticsText());
        found.replace("no-times info 1\n", "");
        QCOMPARE(found, diagnostics);
    }

    void aFileWithoutNodesIsRefused()
    {
        QVERIFY_THROWS_EXCEPTION(core::Error, imported(R"({"schema": "1.0.1"})"));
        QVERIFY_THROWS_EXCEPTION(core::Error, imported(""));
        QVERIFY_THROWS_EXCEPTION(core::Error, imported("[]"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ExecutionTraceImporterTest)
#include "tst_execution_trace_importer.moc"
