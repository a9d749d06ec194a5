#include "core/base/error.h"
#include "core/import/importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sample.h"
#include "tests/support/recording_sink.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace collectors;
using tests::MemoryEntry;
using tests::Recording;
using tests::RecordingSink;

namespace {

/// The importer that takes the file, as the pipeline asks them.
const core::Importer *importerOf(const std::string &bytes)
{
    const auto found
        = std::find_if(core::importers().begin(), core::importers().end(),
                       [&](const auto &one) { return one->recognizes("x.lp", bytes); });
    return found != core::importers().end() ? found->get() : nullptr;
}

/// A sink with little memory.
class SmallSink : public RecordingSink
{
public:
    std::size_t importerBytes() const override { return 4096; }
};

RecordingSink imported(const std::string &bytes, std::size_t blockSize = 1 << 20)
{
    MemoryEntry entry(bytes, blockSize);
    entry.setName("node1-3-500.nccl.lp");
    RecordingSink sink;
    importerOf(bytes)->read(entry, sink, {});
    return sink;
}

} // namespace

class RecordedImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKindOfRecordBecomesWhatItMeans()
    {
        const RecordingSink sink = imported(tests::recordingsample::everyKind().bytes());
        const QString difference = tests::differenceFromGolden(
            "recorded/all_kinds.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void everyCollectorHasItsImporter_data()
    {
        QTest::addColumn<int>("collector");
        QTest::addColumn<QString>("name");
        QTest::newRow("cupti") << int { CollectorCupti } << "longpole-cupti";
        QTest::newRow("nvtx") << int { CollectorNvtx } << "longpole-nvtx";
        QTest::newRow("nccl") << int { CollectorNccl } << "longpole-nccl";
        QTest::newRow("framework") << int { CollectorFramework } << "longpole-framework";
        QTest::newRow("not known yet") << 77 << "longpole-framework";
    }
    void everyCollectorHasItsImporter()
    {
        QFETCH(int, collector);
        QFETCH(QString, name);
        Recording recording;
        recording.addHeader(static_cast<std::uint32_t>(collector));
        const core::Importer *importer = importerOf(recording.bytes());
        QVERIFY(importer != nullptr);
        QCOMPARE(QString::fromStdString(std::string(importer->name())), name);
    }

    /// Fixed bounds of half a gigabyte were beside the memory limit.
    void whatRecordsReferToIsWithinTheMemoryLimit_data()
    {
        QTest::addColumn<std::string>("bytes");
        Recording texts, ids, communicators;
        texts.addHeader(CollectorCupti);
        ids.addHeader(CollectorCupti);
        communicators.addHeader(CollectorNccl);
        for (std::uint32_t i = 1; i < 100; ++i) {
            texts.addString(i, "text");
            ExternalCorrelationRecord link {};
            link.correlation = link.externalId = i;
            ids.add(RecordExternalCorrelation, link);
            CommunicatorRecord communicator {};
            communicator.communicator = i;
            communicators.add(RecordCommunicator, communicator);
        }
        QTest::newRow("texts") << texts.bytes();
        QTest::newRow("one long text")
            << Recording().addHeader(CollectorCupti).addString(1, std::string(5000, 'x')).bytes();
        QTest::newRow("external ids") << ids.bytes();
        QTest::newRow("communicators") << communicators.bytes();
    }
    void whatRecordsReferToIsWithinTheMemoryLimit()
    {
        QFETCH(const std::string, bytes);
        MemoryEntry entry(bytes);
        SmallSink sink;
        importerOf(bytes)->read(entry, sink, {});
        const std::string said = sink.diagnosticsText();
        QVERIFY2(said.find("too-many-names error ") != std::string::npos, said.c_str());
        QVERIFY(imported(bytes).diagnosticsText().find("too-many") == std::string::npos);
    }

    void anotherMajorVersionIsRefused()
    {
        Recording recording;
        FileHeader header {};
        header.majorVersion = LONGPOLE_MAJOR_VERSION + 1;
        recording.add(RecordFileHeader, header);
        QVERIFY_THROWS_EXCEPTION(core::Error, imported(recording.bytes()));
    }

    void blocksOfAnySizeGiveTheSame()
    {
        const std::string bytes = tests::recordingsample::everyKind().bytes();
        const RecordingSink whole = imported(bytes);
        for (const std::size_t blockSize : { 1U, 7U, 100U })
            QCOMPARE(imported(bytes, blockSize).text(), whole.text());
    }

    void aCutAtAnyByteIsReadToThere()
    {
        const std::string bytes = tests::recordingsample::everyKind().bytes();
        std::uint64_t last = 0;
        for (std::size_t size = 8; size < bytes.size(); ++size) {
            const RecordingSink sink = imported(bytes.substr(0, size));
            QVERIFY(sink.sliceCount() >= last);
            last = sink.sliceCount();
            QVERIFY(sink.diagnosticsText().find("not-closed info 1") != std::string::npos);
        }
    }

    void randomDamageDoesNoHarm()
    {
        std::mt19937 random(5); // NOLINT: the same sequence each time
        const std::string whole = tests::recordingsample::everyKind().bytes();
        for (int round = 0; round < 300; ++round) {
            std::string bytes = whole;
            for (int hit = 0; hit < 10; ++hit)
                bytes[8 + random() % (bytes.size() - 8)] = static_cast<char>(random());
            const RecordingSink sink = imported(bytes);
            QVERIFY(sink.diagnosticsText().find("damaged-record error") != std::string::npos);
        }
    }

    void valuesOfAnySizeDoNoHarm()
    {
        std::mt19937_64 random(9); // NOLINT: the same sequence each time
        for (int round = 0; round < 300; ++round) {
            Recording recording;
            recording.addHeader(CollectorCupti);
            for (int kind = RecordClockPair; kind < RecordEnd; ++kind) {
                std::array<std::uint64_t, 13> payload {};
                std::generate(payload.begin(), payload.end(),
                              [&] { return random() % 3 == 0 ? random() : random() % 4; });
                recording.add(static_cast<RecordKind>(kind), payload);
            }
            QVERIFY(imported(recording.bytes()).workerCount() == 1);
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RecordedImporterTest)
#include "tst_longpole_importer.moc"
