#include "core/base/error.h"
#include "core/import/tensorflow/xplane_importer.h"
#include "core/import/tensorflow/xstat.h"
#include "core/project/write/collected_file.h"
#include "tests/core/import/tensorflow/imported_xplane.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"
#include "tests/support/xplane_sample.h"

#include <QTest>

#include <algorithm>

using tests::importedXPlane;
using tests::MemoryEntry;
using tests::RecordingSink;
using tests::XPlaneBuilder;
using tests::xplaneImporter;

namespace {

/// All that names a slice: enough to see which events were kept.
QByteArray keptEvents(const RecordingSink &sink)
{
    QByteArray kept;
    for (const QByteArray &line : QByteArray::fromStdString(sink.text()).split('\n')) {
        if (line.startsWith("  "))
            kept += line.split('"').at(1) + ' ';
    }
    return kept.trimmed();
}

std::string threeEvents()
{
    XPlaneBuilder plane("/device:GPU:0");
    plane.line(1, "Stream #1", 10).event("a", 0, 1000).event("b", 1000, 1000);
    plane.line(2, "Stream #2", 10).event("c", 0, 1000);
    return tests::xspace({ plane });
}

} // namespace

class XPlaneImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKindOfEventBecomesWhatItMeans()
    {
        RecordingSink sink = importedXPlane(tests::xplaneSample());
        const QString difference = tests::differenceFromGolden(
            "xplane/all_kinds.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void blocksOfAnySizeGiveTheSame()
    {
        const std::string whole = importedXPlane(tests::xplaneSample()).text();
        QCOMPARE(importedXPlane(tests::xplaneSample(), 1).text(), whole);
        QCOMPARE(importedXPlane(tests::xplaneSample(), 7).text(), whole);
    }

    void aProfileIsRecognisedByItsFirstPlane_data()
    {
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("isXSpace");
        const auto bytes = [](const std::string &text) { return QByteArray::fromStdString(text); };
        const std::string space = tests::xplaneSample();
        const tests::ProtobufWriter numbered
            = tests::ProtobufWriter().number(1, 3).bytes(2, "/host:CPU");
        QTest::newRow("device first") << bytes(space) << "x.bin" << true;
        QTest::newRow("a plane with a number")
            << bytes(tests::ProtobufWriter().message(1, numbered).str()) << "x.bin" << true;
        QTest::newRow("by its extension, to say what is wrong")
            << QByteArray("\x0a\xef\xbf\xbd") << "a.xplane.pb" << true;
        QTest::newRow("another protobuf")
            << bytes(tests::ProtobufWriter().bytes(1, "0.0.2").str()) << "x.pb" << false;
        QTest::newRow("JSON") << QByteArray("{\"traceEvents\": []}") << "x.json" << false;
        QTest::newRow("empty") << QByteArray() << "x.xplane.pb" << false;
        for (const int size : { 1, 2, 4 })
            QTest::addRow("cut after %d", size) << bytes(space).left(size) << "x.bin" << false;
    }
    void aProfileIsRecognisedByItsFirstPlane()
    {
        QFETCH(QByteArray, head);
        QFETCH(QString, name);
        QFETCH(bool, isXSpace);
        QCOMPARE(xplaneImporter().recognizes(name.toStdString(), head.toStdString()), isXSpace);
    }

    void damageCostsTheDamagedMessage_data()
    {
        QTest::addColumn<QByteArray>("space");
        QTest::addColumn<QByteArray>("kept");
        QTest::addColumn<QByteArray>("diagnostics");
        const std::string whole = threeEvents();
        const auto with = [&whole](std::size_t at, char byte) {
            std::string changed = whole;
            changed.at(at) = byte;
            return QByteArray::fromStdString(changed);
        };
        const std::size_t event = whole.find("\x22\x07\x08\x01\x10", 0, 5); // field 4 of a line
        QVERIFY(event != std::string::npos);
        QTest::newRow("nothing wrong")
            << QByteArray::fromStdString(whole) << QByteArray("a b c") << QByteArray();
        QTest::newRow("a field of an event")
            << with(event + 2, '\x0f') << QByteArray("b c")
            << QByteArray("damaged-event error 1 at=" + QByteArray::number(qulonglong(event))
                          + "\n");
        QTest::newRow("the length of an event")
            << with(event + 1, '\x7f') << QByteArray("c")
            << QByteArray("damaged-message error 1 at=" + QByteArray::number(qulonglong(event))
                          + "\n");
        QTest::newRow("a kind that is not named")
            << with(event + 3, '\x63') << QByteArray("event kind 99 b c")
            << QByteArray("unnamed-event warning 1 at=" + QByteArray::number(qulonglong(event))
                          + "\n");
        QTest::newRow("cut in the last line")
            << QByteArray::fromStdString(whole.substr(0, whole.find("Stream #2") + 12))
            << QByteArray("event kind 1 event kind 2")
            << QByteArray("truncated-file error 1 at="
                          + QByteArray::number(qulonglong(whole.find("Stream #2") + 12))
                          + "\nunnamed-event warning 2 at=" + QByteArray::number(qulonglong(event))
                          + "\n");
    }
    void damageCostsTheDamagedMessage()
    {
        QFETCH(QByteArray, space);
        QFETCH(QByteArray, kept);
        QFETCH(QByteArray, diagnostics);
        RecordingSink sink = importedXPlane(space.toStdString());
        QCOMPARE(keptEvents(sink), kept);
        QCOMPARE(QByteArray::fromStdString(sink.diagnosticsText()), diagnostics);
    }

    /// A cut <host>.xplane.pb.gz: what could be inflated is read as a cut profile is.
    void aCutArchiveCostsWhatIsBehindTheCut()
    {
        const std::string whole = threeEvents();
        MemoryEntry entry(whole.substr(0, whole.find("Stream #2") + 12), 1 << 20,
                          "the gzip data ends too early");
        RecordingSink sink;
        xplaneImporter().read(entry, sink, {});
        QCOMPARE(keptEvents(sink), QByteArray("event kind 1 event kind 2"));
        const QString diagnostics = QString::fromStdString(sink.diagnosticsText());
        QVERIFY2(diagnostics.contains(QStringLiteral("unreadable-rest error 1")),
                 qPrintable(diagnostics));
    }

    /// Of a cut behind the last row nothing was said of the archive.
    void aCutArchiveIsNamedWhereverItIsCut()
    {
        const std::string whole = threeEvents();
        for (std::size_t size = whole.find("Stream #2"); size <= whole.size(); ++size) {
            MemoryEntry entry(whole.substr(0, size), 1 << 20, "the gzip data ends too early");
            RecordingSink sink;
            xplaneImporter().read(entry, sink, {});
            QVERIFY2(sink.diagnosticsText().find("unreadable-rest error 1") != std::string::npos,
                     std::to_string(size).c_str());
        }
    }

    /// A reference of a few bytes stands for a text of up to 64 KiB, any number of times: 96 KB
    /// needed 976 MB, and the project could not be read.
    void statisticsBeyondWhatAnEventShowsAreLeftOut()
    {
        const std::string text(60'000, 'x');
        const std::vector<tests::XStatValue> stats(1000, { "hlo_op", text.c_str() });
        XPlaneBuilder plane("/device:GPU:0");
        plane.line(1, "Stream #1", 10).event("large", 0, 1000, stats).event("b", 1000, 1000);
        core::CollectedFile sink({}, {});
        MemoryEntry entry(tests::xspace({ plane }));
        xplaneImporter().read(entry, sink, {});
        const std::vector<core::Diagnostic> said = sink.diagnostics().list();
        QCOMPARE(said.size(), std::size_t { 1 });
        QCOMPARE(said[0].code, std::string("args-cut"));
        QCOMPARE(said[0].count, std::uint64_t { 1 });
        QCOMPARE(sink.tracks.at(0).heldRows(), std::size_t { 2 });
    }

    /// They are looked at for every event: 300 events of a kind with a million took five seconds.
    void aKindOfEventHasABoundedNumberOfStatistics()
    {
        constexpr std::size_t Kept = 1000, Beyond = 1'000'000;
        tests::ProtobufWriter metadata;
        metadata.number(1, 1).bytes(2, "a");
        for (std::size_t i = 0; i < Kept + Beyond; ++i)
            metadata.message(5, tests::ProtobufWriter().number(1, 1).number(4, i < Kept ? 7 : 8));
        tests::ProtobufWriter line;
        line.number(1, 1).bytes(2, "Stream #1").number(3, 10);
        constexpr std::uint64_t Events = 1000;
        for (std::uint64_t i = 0; i < Events; ++i)
            line.message(4, tests::ProtobufWriter().number(1, 1).number(2, i).number(3, 1));
        tests::ProtobufWriter plane;
        plane.bytes(2, "/device:GPU:0")
            .message(3, line)
            .message(4, tests::ProtobufWriter().number(1, 1).message(2, metadata))
            .message(5,
                     tests::ProtobufWriter().number(1, 1).message(
                         2, tests::ProtobufWriter().number(1, 1).bytes(2, "x")));
        MemoryEntry entry(tests::ProtobufWriter().message(1, plane).str());
        core::CollectedFile sink({}, {});
        xplaneImporter().read(entry, sink, {});
        QCOMPARE(sink.tracks.at(0).size(), std::size_t { Events });
        const std::vector<core::Diagnostic> said = sink.diagnostics().list();
        QCOMPARE(said.size(), std::size_t { 1 });
        QCOMPARE(said[0].code, std::string("stats-left-out"));
        QCOMPARE(said[0].count, std::uint64_t { Beyond });
    }

    void theJsonOfStatisticsIsWholeHoweverMuchIsLeftOut()
    {
        const std::string text(core::MaximumStatArgsBytes, 'x');
        core::XStat huge, small;
        huge.name = "huge";
        huge.kind = core::XStat::Kind::Text;
        huge.text = text;
        small.name = "small";
        small.kind = core::XStat::Kind::Signed;
        small.natural = 7;
        const core::XStatArgs cut = core::statsAsJson({ small, huge, small });
        QVERIFY(cut.isCut);
        QCOMPARE(cut.json, std::string(R"({"small": 7, "small": 7})"));
        QVERIFY(!core::statsAsJson({ small }).isCut);
        QCOMPARE(core::statsAsJson({ huge }).json, std::string());
        const std::string control(core::MaximumStatArgsBytes / 2, '\x01'); // "\u0001" each
        huge.text = control;
        QCOMPARE(core::statsAsJson({ huge, small }).json, std::string(R"({"small": 7})"));
    }

    void everyErrorOfTheProfilerIsKept()
    {
        const std::string space = threeEvents()
            + tests::ProtobufWriter()
                  .bytes(2, "CUPTI is not available")
                  .bytes(2, "no TPU")
                  .bytes(2, "no TPU")
                  .str();
        RecordingSink sink = importedXPlane(space);
        const auto all = sink.diagnostics().list();
        QCOMPARE(all.size(), std::size_t { 1 });
        QCOMPARE(all[0].count, std::uint64_t { 3 });
        QCOMPARE(all[0].message,
                 std::string("the profiler reported: CUPTI is not available; no TPU"));
    }

    void anyCutAndAnyChangedByteIsSurvived()
    {
        const std::string whole = tests::xplaneSample();
        for (std::size_t i = 0; i < whole.size(); ++i) {
            for (const char byte : { '\x00', '\x7f', '\xff' }) {
                std::string changed = whole;
                changed[i] = byte;
                for (const std::string &text : { changed, whole.substr(0, i) }) {
                    try {
                        importedXPlane(text);
                    } catch (const core::Error &) {
                        QVERIFY(i < 32); // of the head only
                    }
                }
            }
        }
    }

    void aProfileThatWasStoredAsTextIsRefused()
    {
        std::string text;
        for (const char c : tests::xplaneSample())
            text += static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : "\xEF\xBF\xBD";
        try {
            importedXPlane(text);
            QFAIL("was read");
        } catch (const core::Error &error) {
            QVERIFY(QByteArray(error.what()).contains("stored as text"));
        }
    }

    /// Counted by a script that reads the files with another protobuf reader.
    void realProfilesHaveTheEventsThatAnotherReaderCounts_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<quint64>("events");
        QTest::addColumn<quint64>("allocations");
        QTest::addColumn<quint64>("streamEvents");
        QTest::newRow("TensorFlow on 8 GPUs")
            << QStringLiteral("xprof/GPU-multi-worker/34.83.195.179_6003.xplane.pb")
            << quint64(23128) << quint64(2493) << quint64(1556);
        QTest::newRow("JAX on MI300")
            << QStringLiteral("tracelens/mi300/jax08_gemm/tw003.xplane.pb") << quint64(3782)
            << quint64(162) << quint64(54);
        QTest::newRow("JAX on 8 MI300")
            << QStringLiteral("tracelens/mi300/jax_conv_minimal_08/tw003.xplane.pb")
            << quint64(3650) << quint64(230) << quint64(235);
    }
    void realProfilesHaveTheEventsThatAnotherReaderCounts()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(QString, file);
        QFETCH(quint64, events);
        QFETCH(quint64, allocations);
        QFETCH(quint64, streamEvents);
        const auto bundle = core::openBundle({ *shared / "data/real" / file.toStdString() });
        RecordingSink sink;
        xplaneImporter().read(*bundle->open(0), sink, {});
        quint64 counted = 0;
        quint64 onStreams = 0;
        for (const auto &[category, count] : sink.counts()) {
            counted += count;
            onStreams += category.find("/Stream #") != std::string::npos ? count : 0;
        }
        QCOMPARE(counted, events);
        QCOMPARE(onStreams, streamEvents);
        QCOMPARE(sink.sliceCount(), events - allocations);
        const auto isMemory = [](const std::string &note) { return note.starts_with("memory "); };
        QCOMPARE(quint64(std::count_if(sink.notes().begin(), sink.notes().end(), isMemory)),
                 allocations);
        QCOMPARE(QByteArray::fromStdString(sink.diagnosticsText()), QByteArray());
    }

    void theRealProfileThatWasStoredAsTextIsRefused()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        const auto bundle = core::openBundle({ *shared / "data/real/xprof/damaged" });
        RecordingSink sink;
        QVERIFY_THROWS_EXCEPTION(core::Error, xplaneImporter().read(*bundle->open(0), sink, {}));
        QCOMPARE(sink.workerCount(), std::size_t(0));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(XPlaneImporterTest)
#include "tst_xplane_importer.moc"
