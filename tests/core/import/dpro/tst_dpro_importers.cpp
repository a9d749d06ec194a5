#include "core/import/importer.h"
#include "core/import/unknown_format.h"
#include "tests/support/generate/generate_dpro.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QTest>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

const core::Importer *importerOf(const std::string &name, const std::string &text)
{
    for (const auto &importer : core::importers())
        if (importer->recognizes(name, std::string_view(text).substr(0, core::Importer::HeadSize)))
            return importer.get();
    return nullptr;
}

/// The part of `path` from `folder` on, as the entry in `folder` opens it.
std::string seenFrom(const std::string &folder, const std::string &path)
{
    return path.starts_with(folder) ? path.substr(folder.size()) : "../../" + path;
}

MemoryEntry entryOf(const std::map<std::string, std::string> &files, const std::string &path)
{
    MemoryEntry entry(files.at(path));
    entry.setName(path);
    const std::string folder = path.substr(0, path.find_last_of('/') + 1);
    for (const auto &[other, text] : files)
        entry.addOther(seenFrom(folder, other), text);
    return entry;
}

RecordingSink imported(const std::map<std::string, std::string> &files, const std::string &path)
{
    MemoryEntry entry = entryOf(files, path);
    RecordingSink sink;
    importerOf(path, files.at(path))->read(entry, sink, {});
    return sink;
}

std::ptrdiff_t notesOf(const RecordingSink &sink, std::string_view what)
{
    return std::count_if(sink.notes().begin(), sink.notes().end(),
                         [what](const std::string &note) { return note.starts_with(what); });
}

/// What stands between `before` and `after` in every line that has both.
std::vector<std::string> between(const std::string &text, const std::string &before,
                                 const std::string &after)
{
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find(before);
        if (at != std::string::npos)
            found.push_back(line.substr(at + before.size(),
                                        line.find(after, at + before.size()) - at - before.size()));
    }
    return found;
}

/// Begin and end of an op of MXNet, 7 us.
std::string convolution(int us)
{
    const auto event = [](const char *phase, int at) {
        return std::string(R"({"name": "Convolution", "cat": "operator", "ph": ")") + phase
            + R"(", "ts": )" + std::to_string(at) + R"(, "pid": 0, "tid": 3})";
    };
    return event("B", us) + ",\n" + event("E", us + 7);
}

} // namespace

class DproImportersTest : public QObject
{
    Q_OBJECT

private:
    const std::map<std::string, std::string> m_files = tests::generateDproFolder();

private slots:
    void everyFileOfAFolderByTheFormatsRulesIsReadByItsImporter_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("format");
        const auto row = [](const char *path, const char *format) {
            QTest::newRow(path) << QByteArray(path) << QByteArray(format);
        };
        row("host0/1/trace.json.gz", "dpro-compute");
        row("host0/1/comm.json", "horovod");
        row("host0/1/comm_detail.json", "dpro-comm-detail");
        row("host0/1/io.json", "dpro-io");
        row("host0/1/dag.gml", "dpro-dag");
        row("host0/1/metadata.json", "");
        row("host0/1/gradient_name_list.json", "");
        row("host0/1/nccl_rank_graph.json", "");
        row("bps_trace_final.json", "dpro-merged");
        row("trail_dag.gml", "");
        row("statistic.txt", "");
        row("nccl_graph.txt", "");
        row("key_dict.txt", "");
    }
    void everyFileOfAFolderByTheFormatsRulesIsReadByItsImporter()
    {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, format);
        const core::Importer *importer
            = importerOf(path.toStdString(), m_files.at(path.toStdString()));
        QCOMPARE(importer != nullptr ? importer->name() : std::string_view(),
                 std::string_view(format.constData()));
    }

    void pythonTextIsNamedAndNotEvaluated()
    {
        for (const char *name : { "statistic.txt", "nccl_graph.txt" }) {
            const core::UnknownFile unknown = core::describeUnknown(name, m_files.at(name));
            QVERIFY(!unknown.isTrace);
            QVERIFY(unknown.message.find("never evaluated") != std::string::npos);
        }
    }

    void ranksAreCountedOverTheHosts()
    {
        for (const char *file :
             { "trace.json.gz", "comm.json", "comm_detail.json", "io.json", "dag.gml" })
            for (int rank = 0; rank < 4; ++rank) {
                const std::string path = "host" + std::to_string(rank / 2) + '/'
                    + std::to_string(rank % 2) + '/' + file;
                QCOMPARE(imported(m_files, path).worker().rank, std::optional<int>(rank));
            }
    }

    void generatedOpsOfTheGpuAreKernelsWithTheGraphsNames()
    {
        const RecordingSink sink = imported(m_files, "host1/1/trace.json.gz");
        QCOMPARE(sink.diagnosticsText(), std::string());
        QCOMPARE(sink.sliceCount(), std::uint64_t { 24 });
        QCOMPARE(sink.counts().at("none"), std::uint64_t { 27 });
        QCOMPARE(between(sink.text(), " kernel \"", "\"").size(), std::size_t { 12 });
        QCOMPARE(between(sink.text(), " kernel \"", "\"").front(),
                 std::string("model/dense/MatMul"));
        QCOMPARE(between(sink.text(), "stream pid=1 tid=1 ", " ").front(), std::string("device=1"));
        QCOMPARE(notesOf(sink, "iteration "), std::ptrdiff_t { 3 });
        QCOMPARE(sink.notes().front(),
                 std::string("iteration 0 of worker 0: "
                             "1600000000000100000..1600000000001100000"));
    }

    void generatedSendsAndReceivesOfAllRanksPairUp()
    {
        std::multiset<std::string> sent, received;
        for (const char *gpu : { "host0/0", "host0/1", "host1/0", "host1/1" }) {
            const RecordingSink sink = imported(m_files, std::string(gpu) + "/comm_detail.json");
            QCOMPARE(sink.counts().at("Comm"), std::uint64_t { 37 });
            QCOMPARE(sink.sliceCount(), std::uint64_t { 36 });
            for (const std::string &transaction : between(sink.text(), " send(\"", "\""))
                sent.insert(transaction);
            for (const std::string &transaction : between(sink.text(), " recv(\"", "\""))
                received.insert(transaction);
        }
        QCOMPARE(sent.size(), std::size_t { 72 });
        QVERIFY(sent == received);
        QCOMPARE(std::set<std::string>(sent.begin(), sent.end()).size(), sent.size());
        QCOMPARE(*sent.begin(), std::string("0+1/loop 0/chunk 0/slice 0/rank 0 to 1/round 0"));
    }

    void generatedTimelinesHaveTheFusedTensors()
    {
        const RecordingSink sink = imported(m_files, "host1/0/comm.json");
        QCOMPARE(sink.workerCount(), std::size_t { 1 });
        const auto collectives = between(sink.text(), " collective(", ")");
        QCOMPARE(collectives.size(), std::size_t { 3 });
        QCOMPARE(between(sink.text(), "tensor=\"grad_0\" tensor=\"", "\"").size(),
                 std::size_t { 3 });
    }

    void byTheFormatsRulesTheGraphGivesDependenciesByName()
    {
        const RecordingSink sink = imported(m_files, "host0/0/dag.gml");
        QCOMPARE(sink.diagnosticsText(), std::string());
        QCOMPARE(sink.counts().at("node"), std::uint64_t { 4 });
        QCOMPARE(sink.counts().at("edge"), std::uint64_t { 3 });
        QCOMPARE(sink.notes(),
                 (std::vector<std::string> {
                     R"(tensor "grad_0" bytes=2560 dtype=float32 shape=[64,10])",
                     R"(tensor "grad_1" bytes=2560 dtype=float32 shape=[64,10])",
                     R"(dependency data "model/dense/MatMul" -> "gradients/dense/MatMul_1")",
                     R"(dependency data "gradients/dense/MatMul_1" -> "Comm.grad_0")",
                     R"(dependency data "Comm.grad_0" -> "Adam/update")" }));
    }

    void byTheFormatsRulesTheMergedTraceIsReadWhereTheRanksFilesAreMissing()
    {
        const std::string path = "bps_trace_final.json";
        const core::Importer *importer = importerOf(path, m_files.at(path));
        QVERIFY(importer->reasonToLeaveOut(entryOf(m_files, path)));
        const std::map<std::string, std::string> alone { { path, m_files.at(path) } };
        QVERIFY(!importer->reasonToLeaveOut(entryOf(alone, path)));

        const RecordingSink sink = imported({ { path, m_files.at(path) } }, path);
        QCOMPARE(sink.diagnosticsText(), std::string());
        QCOMPARE(sink.workerCount(), std::size_t { 4 });
        QCOMPARE(sink.worker().rank, std::optional<int>(3));
        QCOMPARE(sink.worker().host, std::string("host1"));
        QCOMPARE(sink.sliceCount(), std::uint64_t { 48 });
        QCOMPARE(between(sink.text(), " collective(", ")").size(), std::size_t { 12 });
        QCOMPARE(notesOf(sink, "iteration "), std::ptrdiff_t { 12 });
    }

    void generatedServersComeAfterTheGpusAndPairUpWithTheRootOnes()
    {
        const auto files = tests::generateDproServerFolder();
        const RecordingSink comm = imported(files, "comm_timeline.json");
        QCOMPARE(comm.diagnosticsText(), std::string());
        QCOMPARE(comm.counts().at("Comm"), std::uint64_t { 32 });
        QCOMPARE(comm.workerCount(), std::size_t { 4 });
        const std::string text = comm.text();
        for (const char *rank :
             { "worker rank=1\n", "worker rank=3\n", "worker rank=4\n", "worker rank=5\n" })
            QVERIFY2(text.find(rank) != std::string::npos, rank);
        const auto sent = between(text, " send(\"", "\""),
                   received = between(text, " recv(\"", "\"");
        QCOMPARE(sent.size(), std::size_t { 16 });
        QCOMPARE(std::set<std::string>(sent.begin(), sent.end()),
                 std::set<std::string>(received.begin(), received.end()));
        QCOMPARE(sent.front(), std::string("grad_0/PUSH_REQ/worker_0 to server_0/round 0"));

        const RecordingSink server = imported(files, "server_timeline.json");
        QCOMPARE(server.diagnosticsText(), std::string());
        QCOMPARE(server.workerCount(), std::size_t { 2 });
        QCOMPARE(server.worker().rank, std::optional<int>(5));
        QCOMPARE(between(server.text(), " cpu_op \"", "\"").size(), std::size_t { 8 });
    }

    /// Any bytes: no crash, no hang; run it with the sanitizers.
    void damagedFilesNeverCrash()
    {
        auto files = tests::generateDproFolder();
        files.merge(tests::generateDproServerFolder());
        files["profile.json"] = tests::generateMxnetProfile();
        for (const char *name : { "horovod/two_ranks.json", "horovod/bluefog3.json",
                                  "byteps/root.json", "bytescheduler/worker.json" })
            files[name] = tests::fileText(name);
        std::mt19937 random(7);
        const auto below = [&random](std::size_t bound) { return random() % bound; };
        constexpr std::string_view Bytes = "\"{}[]:,0919e-\\\0\xff BEXM";
        for (const auto &[path, text] : files) {
            const core::Importer *importer = importerOf(path, text);
            for (int variant = 0; importer != nullptr && variant < 60; ++variant) {
                std::string damaged = text;
                for (std::size_t i = 0; i <= below(8); ++i)
                    damaged[below(damaged.size())] = Bytes[below(Bytes.size())];
                if (below(4) == 0)
                    damaged.resize(below(damaged.size()));
                MemoryEntry entry(damaged, 1 + below(5000));
                entry.setName(path);
                RecordingSink sink;
                try {
                    importer->read(entry, sink, {});
                } catch (const core::Error &error) {
                    QVERIFY(!error.message().empty());
                }
            }
        }
    }

    void byTheFormatsRulesAMxnetProfileHasKernelsOfItsGpuAndHashesAsIds()
    {
        const std::string json = tests::generateMxnetProfile();
        const RecordingSink sink = imported({ { "profile.json", json } }, "profile.json");
        QCOMPARE(importerOf("profile.json", json)->name(), std::string_view("mxnet"));
        QCOMPARE(sink.diagnosticsText(), std::string("no-epoch info 1\n"));
        QCOMPARE(sink.sliceCount(), std::uint64_t { 12 });
        QCOMPARE(between(sink.text(), " kernel \"", "\"").size(), std::size_t { 6 });
        QCOMPARE(between(sink.text(), " runtime \"", "\"").size(), std::size_t { 3 });
        QCOMPARE(between(sink.text(), " cpu_op \"", "\"").front(), std::string("sgd_update"));
        QVERIFY(sink.text().find("pid=18446744073709551615 tid=9223372036854775809")
                != std::string::npos);
        QCOMPARE(notesOf(sink, "iteration "), std::ptrdiff_t { 3 });
    }

    /// profiler.dump() called several times writes one document in pieces.
    void piecesOfAMxnetProfileAreReadAlone()
    {
        const std::string middle = convolution(100) + ",\n" + convolution(200) + "\n,";
        const std::string last = ",\n" + convolution(300) + "],\n\"displayTimeUnit\": \"ms\"}";
        QCOMPARE(importerOf("profile.json", middle)->name(), std::string_view("mxnet"));
        QCOMPARE(importerOf("profile.json", last)->name(), std::string_view("mxnet"));
        const RecordingSink ofMiddle = imported({ { "profile.json", middle } }, "profile.json");
        QCOMPARE(ofMiddle.sliceCount(), std::uint64_t { 2 });
        QVERIFY2(ofMiddle.text().find("100000+7000") != std::string::npos, ofMiddle.text().c_str());
        QVERIFY(ofMiddle.diagnosticsText().find("piece-of-trace warning 1 at=0")
                != std::string::npos);
        const RecordingSink ofLast = imported({ { "profile.json", last } }, "profile.json");
        QCOMPARE(ofLast.sliceCount(), std::uint64_t { 1 });
        QVERIFY2(ofLast.diagnosticsText().find("piece-of-trace warning 1 at=0")
                     != std::string::npos,
                 ofLast.diagnosticsText().c_str());
        QVERIFY2(ofLast.diagnosticsText().find("error") == std::string::npos,
                 ofLast.diagnosticsText().c_str());
    }

    /// They were counted only. Pools of the host are one memory.
    void countersOfMxnetsPoolsAreMemoryEvents()
    {
        const auto counter = [](const std::string &pool, int us, const std::string &value) {
            return ", {\"name\": \"Memory: " + pool
                + "\", \"cat\": \"memory\", \"ph\": \"C\", \"pid\": 1, \"ts\": "
                + std::to_string(us) + ", \"args\": {\"Memory: " + pool + "\": " + value + "}}";
        };
        const std::string json = "{\"traceEvents\": [{\"ph\": \"M\", \"name\": \"process_name\", "
                                 "\"pid\": 0, \"args\": {\"name\": \"gpu/0\"}}"
            + counter("gpu/1", 5, "4096") + counter("gpu/1", 7, "1024") + counter("cpu/0", 8, "10")
            + counter("cpu pinned/0", 9, "20") + counter("gpu/x", 10, "1")
            + counter("gpu/1", 11, "-1") + "]}";
        const RecordingSink sink = imported({ { "profile.json", json } }, "profile.json");
        std::string found;
        for (const std::string &note : sink.notes())
            found += note + '\n';
        QCOMPARE(QString::fromStdString(found),
                 QStringLiteral("memory 5000 4096 device=1 allocated=4096\n"
                                "memory 7000 -3072 device=1 allocated=1024\n"
                                "memory 8000 10 allocated=10\n"
                                "memory 9000 20 allocated=30\n"));
    }

    void damageInAGraphCostsTheDamagedNode_data()
    {
        QTest::addColumn<QByteArray>("gml");
        QTest::addColumn<QByteArray>("diagnostics");
        const auto row = [](const char *title, const char *gml, const char *diagnostics) {
            QTest::newRow(title) << QByteArray(gml) << QByteArray(diagnostics);
        };
        row("empty graph", "graph [ ]", "");
        row("not closed", "graph [ node [ id 0 label \"a\" ]", "truncated-file error 1 at=31\n");
        row("cut in a text", "graph [ node [ id 0 label \"a", "truncated-file error 1 at=28\n");
        row("no label", "graph [ node [ id 0 ] ]", "bad-node error 1 at=13\n");
        row("no number", "graph [ node [ id x label \"a\" ] ]", "bad-node error 1 at=13\n");
        row("edge to nowhere", "graph [ edge [ source 0 target 1 ] ]", "unknown-node error 1\n");
        row("edge without an end", "graph [ edge [ source 0 ] ]", "bad-edge error 1 at=13\n");
        row("other keys", "Creator \"x\"\ngraph [ directed 1 node [ id 0 label \"a&quot;b\" ] ]",
            "");
    }
    void damageInAGraphCostsTheDamagedNode()
    {
        QFETCH(QByteArray, gml);
        QFETCH(QByteArray, diagnostics);
        const std::string path = "host0/0/dag.gml";
        const RecordingSink sink = imported({ { path, gml.toStdString() } }, path);
        QCOMPARE(sink.diagnosticsText(), diagnostics.toStdString());
    }

    // A review's find: every line of comments took a frame of the stack.
    void aMillionLinesOfCommentsAreSkipped()
    {
        std::string gml = "graph [";
        for (int i = 0; i < 1'000'000; ++i)
            gml += "\n#";
        gml += "\nnode [ id 0 label \"a\" ] ]";
        const std::string path = "host0/0/dag.gml";
        const RecordingSink sink = imported({ { path, gml } }, path);
        QCOMPARE(sink.diagnosticsText(), std::string());
        QCOMPARE(sink.counts().at("node"), std::uint64_t { 1 });
    }

    void ofACutArchiveTheGraphIsReadToTheCut()
    {
        const std::string path = "host0/0/dag.gml";
        MemoryEntry entry("graph [ node [ id 0 label \"a\" ] node [ id 1", 7,
                          "the gzip data ends too early");
        entry.setName(path);
        RecordingSink sink;
        importerOf(path, "graph [")->read(entry, sink, {});
        QCOMPARE(sink.counts().at("node"), std::uint64_t { 1 });
        QCOMPARE(sink.diagnosticsText(),
                 std::string("unreadable-rest error 1 at=43\ntruncated-file error 1 at=43\n"));
    }

    void aNumberedFolderAloneMakesNoDproTrace()
    {
        const std::string events = "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"";
        const std::string rest = "\", \"ts\": 1, \"dur\": 1}]}";
        QVERIFY(importerOf("job/0/trace.json", events + "step" + rest) == nullptr);
        QCOMPARE(importerOf("job/0/trace.json", events + "FW.dense" + rest)->name(),
                 std::string_view("dpro-compute"));
        QCOMPARE(importerOf("job/0/trace.json",
                            "{\"schemaVersion\": 1, \"deviceProperties\": [], \"traceEvents\": []}")
                     ->name(),
                 std::string_view("kineto"));
    }

    void deepNestingEndsTheGraph()
    {
        std::string gml = "graph [ node [ ";
        for (int i = 0; i < 100'000; ++i)
            gml += "x [ ";
        const std::string path = "host0/0/dag.gml";
        QVERIFY(imported({ { path, gml } }, path).diagnostics().hasSkippedInput());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(DproImportersTest)
#include "tst_dpro_importers.moc"
