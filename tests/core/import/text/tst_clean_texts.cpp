#include "core/import/importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QTest>

#include <algorithm>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

/// A text of JSON with what an escape hides: a terminal's command and a zero byte.
constexpr const char *Hidden = R"(\u001b[31mred\u0000tail)";
constexpr const char *Clean = " [31mred tail";

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string mxnetProfile()
{
    return R"({"traceEvents": [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "cpu/0 HIDDEN"}},)"
           R"({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "cpu/0"}},)"
           R"({"ph": "M", "name": "thread_name", "pid": 0, "tid": 5, "args": {"name": "HIDDEN"}},)"
           R"({"ph": "X", "cat": "operator", "name": "x", "args": {"name": "op HIDDEN"}, "ts": 1,)"
           R"( "dur": 2, "pid": 0, "tid": 5}]})";
}

std::string horovodTimeline()
{
    return R"([{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "grad HIDDEN"}},)"
           R"({"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1, "pid": 1},)"
           R"({"ph": "E", "ts": 2, "pid": 1}, {"ph": "B", "name": "ALLREDUCE", "ts": 3, "pid": 1},)"
           R"({"ph": "E", "ts": 4, "pid": 1, "args": {"dtype": "HIDDEN", "shape": "HIDDEN"}}])";
}

std::string byteSchedulerTimeline()
{
    return R"([{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "grad HIDDEN"}},)"
           R"({"ph": "X", "name": "PUSH_PULLCOMMUNICATION", "ts": 1, "dur": 2, "pid": 1, "tid": 1}])";
}

std::string executionTrace()
{
    return R"({"schema": "1.0.1", "pid": 1, "nodes": [{"id": 2, "name": "aten::mm", "ctrl_deps": 1,)"
           R"( "tid": "HIDDEN)"
           "\xff"
           R"(", "ts": 10, "inclusive_dur": 5, "cat": "cpu_op", "rf_id": 3, "parent": 1,)"
           R"( "inputs": [], "outputs": []}]})";
}

} // namespace

/// Control characters that only an escape shows, and bytes that are no UTF-8, went from names into
/// the project and from there to the terminal.
class CleanTextsTest : public QObject
{
    Q_OBJECT

private slots:
    void namesAreCleanWhateverEscapesHide_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("format");
        const auto row = [](const char *file, const std::string &text, const char *format) {
            QTest::newRow(format) << QByteArray(file) << text << std::string(format);
        };
        row("profile.json", mxnetProfile(), "mxnet");
        row("timeline.json", horovodTimeline(), "horovod");
        row("timeline.json", byteSchedulerTimeline(), "bytescheduler");
        row("rank0.json", executionTrace(), "pytorch-et");
        row("a.log",
            replaced(tests::fileText("nccl-inspector/all_kinds.jsonl"), "\"node1\"", "\"HIDDEN\""),
            "nccl-inspector");
    }
    void namesAreCleanWhateverEscapesHide()
    {
        QFETCH(QByteArray, file);
        QFETCH(std::string, text);
        QFETCH(std::string, format);
        MemoryEntry entry(replaced(text, "HIDDEN", Hidden));
        entry.setName(file.toStdString());
        const auto importer
            = std::find_if(core::importers().begin(), core::importers().end(),
                           [&](const auto &one) { return one->recognizes(entry.name(), text); });
        QVERIFY(importer != core::importers().end());
        QCOMPARE((*importer)->name(), std::string_view(format));
        RecordingSink sink;
        (*importer)->read(entry, sink, {});
        checkClean(sink);
    }

    void namesOfGradientsAreClean_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("list") << QByteArray("gradient_name_list.json")
                              << QByteArray(R"({"gradient_name_list": ["grad HIDDEN"]})");
        QTest::newRow("ids") << QByteArray("gradient_name2ID.json")
                             << QByteArray(R"({"grad HIDDEN": 0})");
    }
    void namesOfGradientsAreClean()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, json);
        MemoryEntry entry("graph [ node [ id 0 label \"a\" ] ]");
        entry.setName("host0/0/dag.gml");
        entry.addOther(file.toStdString(), replaced(json.toStdString(), "HIDDEN", Hidden));
        RecordingSink sink;
        for (const auto &importer : core::importers())
            if (importer->name() == "dpro-dag")
                importer->read(entry, sink, {});
        checkClean(sink);
    }

private:
    static void checkClean(const RecordingSink &sink)
    {
        const std::string text = sink.text();
        QVERIFY2(text.find(Clean) != std::string::npos, text.c_str());
        QVERIFY(std::all_of(text.begin(), text.end(), [](char c) {
            return c == '\n' || static_cast<unsigned char>(c) >= 0x20;
        }));
        QVERIFY(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).toUtf8()
                == QByteArray::fromStdString(text));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CleanTextsTest)
#include "tst_clean_texts.moc"
