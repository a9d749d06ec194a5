#include "collectors/format/crc32c.h"
#include "collectors/format/record_scanner.h"
#include "tests/support/recording.h"

#include <QTest>

#include <random>

using namespace collectors;
using tests::Recording;

namespace {

struct Scanned
{
    std::vector<std::uint64_t> indices; ///< of the iteration records
    std::uint64_t skippedBytes = 0, places = 0, firstSkipped = 0;
    bool endsInsideRecord = false;
};

Scanned scanned(const std::string &bytes, std::size_t blockSize = 1 << 20)
{
    Scanned result;
    RecordScanner scanner;
    RecordView record;
    const auto take = [&] {
        while (scanner.next(record)) {
            if (record.header.kind == RecordIteration)
                result.indices.push_back(record.as<IterationRecord>().index);
        }
    };
    for (std::size_t at = 0; at < bytes.size(); at += blockSize) {
        scanner.feed({ bytes.data() + at, std::min(blockSize, bytes.size() - at) });
        take();
    }
    scanner.finish();
    take();
    result.skippedBytes = scanner.skippedBytes();
    result.places = scanner.skippedPlaces();
    result.firstSkipped = scanner.firstSkipped();
    result.endsInsideRecord = scanner.endsInsideRecord();
    return result;
}

/// Iteration records 0 .. count - 1, with texts of many lengths between them.
Recording iterations(std::uint64_t count)
{
    Recording recording;
    recording.addHeader(CollectorFramework);
    for (std::uint64_t i = 0; i < count; ++i) {
        recording.add(RecordIteration, IterationRecord { 10, 20, i });
        recording.addString(1, std::string(i % 40, 'x'));
    }
    return recording;
}

} // namespace

class RecordScannerTest : public QObject
{
    Q_OBJECT

private slots:
    void theCheckIsCrc32c()
    {
        // RFC 3720, appendix B.4.
        QCOMPARE(crc32c("123456789", 9), 0xE3069283U);
        QCOMPARE(crc32c(std::string(32, '\0').data(), 32), 0x8A9136AAU);
        QCOMPARE(crc32c(std::string(32, '\xFF').data(), 32), 0x62A8AB43U);
        QCOMPARE(crc32c("", 0), 0U);
    }

    void blocksOfAnySizeGiveTheSame()
    {
        const std::string bytes = iterations(50).bytes();
        for (const std::size_t blockSize : { 1U, 7U, 16U, 1000U, 1U << 20U }) {
            const Scanned result = scanned(bytes, blockSize);
            QCOMPARE(result.indices.size(), std::size_t { 50 });
            QCOMPARE(result.skippedBytes, std::uint64_t { 0 });
            QVERIFY(!result.endsInsideRecord);
        }
    }

    void aCutAtAnyByteKeepsAllWholeRecords()
    {
        const Recording recording = iterations(12);
        const std::vector<std::size_t> boundaries = recording.boundaries();
        for (std::size_t size = 8; size <= recording.bytes().size(); ++size) {
            const Scanned result = scanned(recording.bytes().substr(0, size));
            const auto after = std::upper_bound(boundaries.begin(), boundaries.end(), size);
            const auto whole = static_cast<std::size_t>(after - boundaries.begin()) - 1;
            QCOMPARE(result.indices.size(), whole / 2); // header, then iteration and string
            QCOMPARE(result.endsInsideRecord, *(after - 1) != size);
        }
    }

    void lostBytesCostTheRecordTheyAreOf()
    {
        const Recording recording = iterations(12);
        const std::vector<std::size_t> boundaries = recording.boundaries();
        for (std::size_t begin = boundaries[1]; begin < boundaries[2]; ++begin) {
            for (const std::size_t count : { 1U, 15U, 16U, 40U }) {
                std::string bytes = recording.bytes();
                bytes.erase(begin, count);
                const Scanned result = scanned(bytes);
                const bool isSecondHit = begin + count > boundaries[3];
                QVERIFY(result.indices.size() >= (isSecondHit ? 10U : 11U));
                QVERIFY(result.indices.back() == 11);
            }
        }
    }

    void aFlippedBitCostsOneRecord()
    {
        const Recording recording = iterations(6);
        for (std::size_t at = 8; at < recording.bytes().size(); ++at) {
            std::string bytes = recording.bytes();
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
            const Scanned result = scanned(bytes);
            QVERIFY(result.indices.size() >= 5);
            QVERIFY(result.places <= 1);
        }
    }

    void randomDamageNeverMakesUpRecords()
    {
        std::mt19937 random(7); // NOLINT: the same sequence each time
        const Recording recording = iterations(200);
        for (int round = 0; round < 300; ++round) {
            std::string bytes = recording.bytes();
            for (int hit = 0; hit < 20; ++hit) {
                const std::size_t at = random() % bytes.size();
                switch (random() % 3) {
                case 0:
                    bytes[at] = static_cast<char>(random());
                    break;
                case 1:
                    bytes.erase(at, random() % 100);
                    break;
                default:
                    bytes.insert(at, std::string(random() % 100, static_cast<char>(random())));
                }
            }
            const Scanned result = scanned(bytes, 1 + random() % 5000);
            QVERIFY(result.indices.size() >= 160 && result.indices.size() <= 200);
            QVERIFY(std::is_sorted(result.indices.begin(), result.indices.end()));
        }
    }

    void hostileHeadersTakeLinearTime()
    {
        // Every 16 bytes a right header of the largest size over a wrong payload.
        RecordHeader header {};
        header.marker = LongpoleMarker;
        header.payloadBytes = LongpoleMaximumPayload;
        header.kind = RecordString;
        std::string one(recordSize(LongpoleMaximumPayload), '\0');
        std::memcpy(one.data(), &header, sizeof(header));
        sealRecord(reinterpret_cast<unsigned char *>(one.data()));
        one.resize(sizeof(header));
        one[12] = static_cast<char>(one[12] ^ 1); // the payload's check
        std::string bytes(LONGPOLE_FILE_MAGIC, 8);
        while (bytes.size() < (16U << 20U))
            bytes += one;
        QElapsedTimer timer;
        timer.start();
        const Scanned result = scanned(bytes, 256 * 1024);
        QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(result.places, std::uint64_t { 1 });
    }

    void whatIsNoRecordingIsSkipped()
    {
        QVERIFY(!isRecording("{\"traceEvents\""));
        QVERIFY(isRecording(iterations(1).bytes()));
        QVERIFY(scanned("").indices.empty());
        QVERIFY(scanned(std::string(100'000, '\0')).indices.empty());
        QVERIFY(scanned(std::string(100'000, 'L')).indices.empty());
    }

    void laterVersionsMayHaveMoreFields()
    {
        Recording recording;
        recording.add(RecordIteration, IterationRecord { 1, 2, 3 }, 0, "more fields");
        recording.add(RecordIteration, std::int64_t { 5 });
        QCOMPARE(scanned(recording.bytes()).indices, (std::vector<std::uint64_t> { 3, 0 }));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RecordScannerTest)
#include "tst_record_scanner.moc"
