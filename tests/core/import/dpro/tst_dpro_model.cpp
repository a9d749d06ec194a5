#include "core/import/dpro/dpro_model.h"
#include "core/import/importer.h"
#include "core/import/unknown_format.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QTest>

#include <algorithm>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

constexpr const char *List = R"({"gradient_name_list": ["dense.kernel", "dense/bias"]})";

/// Weights are inputs of the ops that use them, gradients outputs of those that compute them.
constexpr const char *TensorFlowForm
    = R"({"dense/MatMul": {"op": "MatMul", "input": [{"name": "x", "shape": [null, 8], "dtype": "float32"}],)"
      R"( "output": []},)"
      R"( "gradients/MatMul_1": {"op": "MatMul", "input": [], "output": [)"
      R"({"name": "dense_kernel:0", "shape": [8, 10], "dtype": "float32"},)"
      R"( {"name": "dense/bias", "shape": [10], "dtype": "float16"}]}})";

constexpr const char *MxnetForm
    = R"({"gradient_name_list": ["dense0_weight;shape=(8, 10);dtype=float16", "dense0_bias",)"
      R"( ["dense1_weight", "shape=[2]", "dtype=float32"]],)"
      R"( "outputs": ["data", "dense0_bias"], "out_shapes": [[32, 8], [10]],)"
      R"( "opt_aggregate_num": 4, "model": "mlp\u001b"})";

std::string shown(const core::TensorRecord &tensor)
{
    return std::to_string(tensor.bytes) + ' ' + std::string(tensor.dtype) + ' '
        + std::string(tensor.shape);
}

/// An entry beside a gradient_name_list.json of these contents; without any it cannot be opened.
class SideFileEntry : public MemoryEntry
{
public:
    SideFileEntry(std::string text, std::string list)
        : MemoryEntry(std::move(text))
        , m_list(std::move(list))
    {
    }

    std::unique_ptr<core::BundleEntry> openOther(std::string_view relativePath) const override
    {
        if (relativePath != "gradient_name_list.json")
            return MemoryEntry::openOther(relativePath);
        if (m_list.empty())
            throw core::Error("damaged gzip", { "gradient_name_list.json", {} });
        return std::make_unique<MemoryEntry>(m_list);
    }

private:
    std::string m_list;
};

const core::Importer &importerOf(const std::string &format)
{
    return **std::find_if(core::importers().begin(), core::importers().end(),
                          [&](const auto &one) { return one->name() == format; });
}

/// What the importer `format` makes of `text` beside these files.
RecordingSink imported(const std::string &format, const std::string &text, const char *list,
                       const char *metadata)
{
    MemoryEntry entry(text);
    entry.setName("host0/0/file");
    if (list != nullptr)
        entry.addOther("gradient_name_list.json", list);
    entry.addOther("metadata.json", metadata);
    RecordingSink sink;
    importerOf(format).read(entry, sink, {});
    return sink;
}

std::string eventText(const std::string &members)
{
    return R"({"traceEvents": [{"ph": "X", "ts": 1, "dur": 2, )" + members + "}]}";
}

bool contains(const RecordingSink &sink, const std::string &text)
{
    return sink.text().find(text) != std::string::npos;
}

} // namespace

/// The small files beside the traces of a dPRO folder. metadata.json was not read.
class DproModelTest : public QObject
{
    Q_OBJECT

private slots:
    void tensorsHaveTheSizesOfTensorFlowsForm()
    {
        MemoryEntry entry("");
        entry.addOther("gradient_name_list.json", List);
        entry.addOther("metadata.json", TensorFlowForm);
        RecordingSink sink;
        const core::DproModel model(entry, "", sink);
        QCOMPARE(shown(model.tensor("dense.kernel")), std::string("320 float32 [8,10]"));
        QCOMPARE(shown(model.tensor("HorovodAllreduce.dense/bias")),
                 std::string("20 float16 [10]"));
        QCOMPARE(shown(model.tensor("x")), std::string("0 float32 [null,8]"));
        QCOMPARE(shown(model.tensor("y")), std::string("0  "));
        QVERIFY(sink.diagnostics().list().empty());
    }

    void tensorsHaveTheSizesOfMxnetsForm()
    {
        MemoryEntry entry("");
        entry.addOther("metadata.json", MxnetForm);
        RecordingSink sink;
        const core::DproModel model(entry, "", sink);
        QCOMPARE(model.gradients(),
                 (std::vector<std::string> { "dense0_weight", "dense0_bias", "dense1_weight" }));
        QCOMPARE(shown(model.tensor("dense1_weight")), std::string("8 float32 [2]"));
        QCOMPARE(shown(model.tensor("dense0_weight")), std::string("160 float16 [8,10]"));
        QCOMPARE(shown(model.tensor("dense0_bias")), std::string("0  [10]"));
    }

    void whatIsNoSizeIsUnknown_data()
    {
        QTest::addColumn<QByteArray>("tensor");
        const auto row = [](const char *title, const char *tensor) {
            QTest::newRow(title) << QByteArray(tensor);
        };
        row("negative", R"({"name": "a", "shape": [-1, 2], "dtype": "float32"})");
        row("too large", R"({"name": "a", "shape": [9223372036854775807, 3], "dtype": "float32"})");
        row("no number", R"({"name": "a", "shape": ["2"], "dtype": "float32"})");
        row("no list", R"({"name": "a", "shape": {"b": 1}, "dtype": "float32"})");
        row("no type", R"({"name": "a", "shape": [2]})");
        row("type of no size", R"({"name": "a", "shape": [2], "dtype": "string"})");
        row("no text", R"({"name": 7, "shape": [2], "dtype": 7})");
        row("no object", "7");
    }
    void whatIsNoSizeIsUnknown()
    {
        QFETCH(QByteArray, tensor);
        MemoryEntry entry("");
        entry.addOther("metadata.json",
                       R"({"op": {"op": "x", "output": [)" + tensor.toStdString() + "]}}");
        RecordingSink sink;
        QCOMPARE(core::DproModel(entry, "", sink).tensor("a").bytes, std::uint64_t { 0 });
    }

    /// Writing the shape overflowed the stack.
    void aShapeThatNestsDeepIsNone()
    {
        constexpr std::size_t Depth = 500'000;
        MemoryEntry entry("");
        entry.addOther("metadata.json",
                       "{\"op\": {\"output\": [{\"name\": \"a\", \"shape\": "
                           + std::string(Depth, '[') + std::string(Depth, ']') + "}]}}");
        RecordingSink sink;
        QCOMPARE(shown(core::DproModel(entry, "", sink).tensor("a")), std::string("0  "));
        QVERIFY(sink.diagnostics().list().empty());
    }

    /// A parsed file of 16 MiB took 450 MB beside the memory limit.
    void aFileThatTakesTooMuchMemoryIsLeftOut()
    {
        class SmallSink : public RecordingSink
        {
        public:
            std::size_t importerBytes() const override { return 64 * 1024; }
        } sink;
        std::string ops;
        for (int i = 0; i < 1000; ++i)
            ops += ", \"" + std::to_string(i) + "\": {}";
        MemoryEntry entry("");
        entry.addOther("gradient_name_list.json", List);
        entry.addOther("metadata.json", "{\"a\": 1" + ops + "}");
        const core::DproModel model(entry, "", sink);
        QCOMPARE(model.gradients().size(), std::size_t { 2 });
        const std::vector<core::Diagnostic> said = sink.diagnostics().list();
        QCOMPARE(said.size(), std::size_t { 1 });
        QCOMPARE(said[0].code, std::string("side-file-left-out"));
        QVERIFY2(said[0].message.find("--memory-limit") != std::string::npos,
                 said[0].message.c_str());
    }

    void collectivesHaveTheirTensorsBytes()
    {
        const RecordingSink fused = imported(
            "dpro-comm-detail",
            eventText(R"("name": "Comm.0+1.NCCL_ALLREDUCE", "pid": "comm_detail_r0_lr0")"), List,
            TensorFlowForm);
        QVERIFY(contains(fused, "bytes=340 collective(all_reduce"));
        QVERIFY(contains(fused, "tensor \"dense.kernel\" bytes=320 dtype=float32 shape=[8,10]"));
        const RecordingSink half = imported(
            "dpro-comm-detail",
            eventText(R"("name": "Comm.0+2.NCCL_ALLREDUCE", "pid": "comm_detail_r0_lr0")"), List,
            TensorFlowForm);
        QVERIFY(!contains(half, "bytes=320 collective(")); // one of two is no size of both
        const RecordingSink byteps
            = imported("byteps",
                       eventText(R"("name": "Comm.dense0_weight", "pid": "Comm.dense0_weight",)"
                                 R"( "tid": "total")"),
                       nullptr, MxnetForm);
        QVERIFY(contains(byteps, "bytes=160 collective(all_reduce"));
    }

    void aTimelineWithoutSizesHasThem()
    {
        const std::string text
            = R"([{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "dense0_weight"}},)"
              R"({"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1, "pid": 1}, {"ph": "E", "ts": 2, "pid": 1},)"
              R"({"ph": "B", "name": "ALLREDUCE", "ts": 3, "pid": 1}, {"ph": "E", "ts": 4, "pid": 1}])";
        QVERIFY(contains(imported("horovod", text, nullptr, MxnetForm),
                         "bytes=160 collective(all_reduce"));
    }

    void theGraphBringsTensorsAndWhatIsSaidOfTheJob()
    {
        const RecordingSink sink
            = imported("dpro-dag", "graph [ node [ id 0 label \"a\" ] ]", nullptr, MxnetForm);
        QCOMPARE(sink.notes(),
                 (std::vector<std::string> {
                     "tensor \"dense0_weight\" bytes=160 dtype=float16 shape=[8,10]",
                     "tensor \"dense0_bias\" dtype= shape=[10]",
                     "tensor \"dense1_weight\" bytes=8 dtype=float32 shape=[2]",
                     "metadata model mlp ", "metadata opt_aggregate_num 4" }));
    }

    void aDamagedFileIsCounted()
    {
        const RecordingSink sink
            = imported("dpro-dag", "graph [ node [ id 0 label \"a\" ] ]", nullptr, "{");
        QCOMPARE(sink.diagnosticsText(), std::string("side-file-left-out warning 1\n"));
    }

    void aDamagedSideFileCostsTheNamesOnly_data()
    {
        QTest::addColumn<std::string>("list");
        QTest::addColumn<std::string>("why");
        QTest::newRow("no JSON") << std::string("\x1f\x8b no gzip")
                                 << std::string("it is no JSON object");
        QTest::newRow("too large")
            << R"({"gradient_name_list": []})" + std::string(16 * 1024 * 1024, ' ')
            << std::string("larger than 16 MiB");
        QTest::newRow("cannot be opened") << std::string() << std::string("damaged gzip");
    }
    /// The rank's trace was refused for it.
    void aDamagedSideFileCostsTheNamesOnly()
    {
        QFETCH(const std::string, list);
        QFETCH(const std::string, why);
        SideFileEntry entry(eventText(R"("name": "Comm.0.SEND", "pid": "comm_detail_r0_lr0")"),
                            list);
        entry.setName("host0/1/comm_detail.json");
        RecordingSink sink;
        importerOf("dpro-comm-detail").read(entry, sink, {});
        QCOMPARE(sink.sliceCount(), std::uint64_t { 1 });
        const std::vector<core::Diagnostic> said = sink.diagnostics().list();
        QCOMPARE(said.size(), std::size_t { 1 });
        QCOMPARE(said[0].code, std::string("side-file-left-out"));
        QCOMPARE(said[0].severity, core::Severity::Warning);
        QCOMPARE(said[0].file, std::string("host0/1/gradient_name_list.json"));
        QVERIFY2(said[0].message.find(why) != std::string::npos, said[0].message.c_str());
    }

    /// What could be read of it was taken for all of it.
    void aSideFileThatCannotBeReadToItsEndIsLeftOut()
    {
        class DamagedListEntry : public MemoryEntry
        {
        public:
            using MemoryEntry::MemoryEntry;
            std::unique_ptr<core::BundleEntry>
            openOther(std::string_view relativePath) const override
            {
                if (relativePath != "gradient_name_list.json")
                    return MemoryEntry::openOther(relativePath);
                return std::make_unique<MemoryEntry>(List, 1 << 20, "has a wrong checksum.");
            }
        };
        const DamagedListEntry entry("");
        RecordingSink sink;
        QVERIFY(core::DproModel(entry, "", sink).gradients().empty());
        const std::vector<core::Diagnostic> said = sink.diagnostics().list();
        QCOMPARE(said.size(), std::size_t { 1 });
        QCOMPARE(said[0].code, std::string("side-file-left-out"));
        QVERIFY2(said[0].message.find("a wrong checksum. They") != std::string::npos,
                 said[0].message.c_str());
    }

    void onlyDprosFileOfThatNameBelongsToItsTraces()
    {
        for (const char *text : { TensorFlowForm, MxnetForm })
            QVERIFY(core::describeUnknown("host0/0/metadata.json", text).message.find("dPRO trace")
                    != std::string::npos);
        QVERIFY(core::describeUnknown("metadata.json", R"({"author": "x"})").message.find("dPRO")
                == std::string::npos);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(DproModelTest)
#include "tst_dpro_model.moc"
