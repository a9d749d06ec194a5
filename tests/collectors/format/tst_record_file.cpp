#include "collectors/format/record_file.h"
#include "collectors/format/record_scanner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <thread>

using namespace collectors;

namespace {

/// The kinds of a file's records with the iterations' indices, in order.
struct Contents
{
    std::vector<int> kinds;
    std::vector<std::uint64_t> indices;
    std::uint64_t dropped = 0, skippedBytes = 0;
    bool endsInsideRecord = false;
};

Contents contentsOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    RecordScanner scanner;
    scanner.feed({ bytes.constData(), static_cast<std::size_t>(bytes.size()) });
    scanner.finish();
    Contents contents;
    RecordView record;
    while (scanner.next(record)) {
        contents.kinds.push_back(record.header.kind);
        if (record.header.kind == RecordIteration)
            contents.indices.push_back(record.as<IterationRecord>().index);
        if (record.header.kind == RecordDropped)
            contents.dropped += record.as<DroppedRecord>().count;
    }
    contents.skippedBytes = scanner.skippedBytes();
    contents.endsInsideRecord = scanner.endsInsideRecord();
    return contents;
}

void writeForever(const std::string &path)
{
    RecordFile file(path, describeProcess(CollectorFramework));
    RecordRing ring(1 << 20);
    for (std::uint64_t index = 0;; ++index) {
        ring.push(RecordIteration, 0, IterationRecord { 1, 2, index });
        if (index % 100 == 99)
            file.drain(ring);
    }
}

} // namespace

class RecordFileTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    QString path(const char *name) const { return m_folder.filePath(QLatin1String(name)); }

private slots:
    void aFileHoldsWhatWasWritten()
    {
        const QString name = path("written.lp");
        {
            qputenv("RANK", "3");
            qputenv("WORLD_SIZE", "x");
            RecordFile file(name.toStdString(), describeProcess(CollectorNccl));
            qunsetenv("RANK");
            qunsetenv("WORLD_SIZE");
            QVERIFY(file.isOpen());
            RecordRing ring(0);
            file.writeString(1, "AllReduce");
            QVERIFY(ring.push(RecordIteration, 7, IterationRecord { 1, 2, 5 }));
            file.drain(ring);
            file.end();
        }
        const Contents contents = contentsOf(name);
        const int clocks = RecordClockPair;
        QCOMPARE(contents.kinds,
                 (std::vector<int> { RecordFileHeader, clocks, clocks, clocks, RecordString,
                                     RecordIteration, clocks, clocks, clocks, RecordEnd }));
        QCOMPARE(contents.indices, std::vector<std::uint64_t> { 5 });
        QCOMPARE(contents.skippedBytes, std::uint64_t { 0 });
        QFile file(name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        FileHeader header {};
        const QByteArray bytes = file.readAll();
        std::memcpy(&header, bytes.constData() + 8 + sizeof(RecordHeader), sizeof(header));
        QCOMPARE(header.flags & (FileHasRank | FileHasWorldSize),
                 static_cast<std::uint32_t>(FileHasRank));
        QCOMPARE(header.rank, 3U);
        QCOMPARE(header.processId, static_cast<std::uint32_t>(getpid()));
        QVERIFY(header.hostName[0] != '\0');
    }

    void anExistingFileIsNotOverwritten()
    {
        const QString name = path("existing.lp");
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("mine");
        file.close();
        const RecordFile refused(name.toStdString(), describeProcess(CollectorNccl));
        QVERIFY(!refused.isOpen());
        QVERIFY(refused.error().find("exists") != std::string::npos);
        QCOMPARE(QFile(name).size(), qint64 { 4 });
    }

    void aFullDiskEndsTheFileAtAWholeRecord()
    {
        const QString name = path("full.lp");
        const pid_t child = fork();
        if (child == 0) { // whom SIGXFSZ would end
            const rlimit limit { 100'000, 100'000 };
            setrlimit(RLIMIT_FSIZE, &limit);
            RecordFile file(name.toStdString(), describeProcess(CollectorFramework));
            RecordRing ring(1 << 20);
            for (std::uint64_t index = 0; index < 10'000; ++index)
                ring.push(RecordIteration, 0, IterationRecord { 1, 2, index });
            file.drain(ring);
            file.end();
            _exit(file.isOpen() || file.error().empty() ? 1 : 0);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
        const Contents contents = contentsOf(name);
        QVERIFY(contents.indices.size() > 2000);
        QVERIFY(contents.indices.back() == contents.indices.size() - 1);
    }

    void aDiskThatIsFullAtOnceHasNoFile()
    {
        const QString name = path("none.lp");
        const pid_t child = fork();
        if (child == 0) {
            const rlimit limit { 100, 100 };
            setrlimit(RLIMIT_FSIZE, &limit);
            const RecordFile file(name.toStdString(), describeProcess(CollectorFramework));
            const bool isTold = file.error().find("cannot be written: ") != std::string::npos;
            _exit(file.isOpen() || file.wasThere() || !isTold ? 1 : 0);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
        QVERIFY(!QFile::exists(name));
    }

    /// Whoever closes all descriptors and opens a file of its own found our records in it.
    void aDescriptorThatTheProgramHasTakenIsLeftAlone()
    {
        const QString name = path("taken.lp");
        QFile own(path("own"));
        QVERIFY(own.open(QIODevice::WriteOnly));
        const pid_t child = fork();
        if (child == 0) {
            const int before = dup(0); // the next number is the file's
            close(before);
            {
                RecordFile file(name.toStdString(), describeProcess(CollectorFramework));
                if (dup2(own.handle(), before) != before) // closes ours
                    _exit(2);
                file.write(RecordIteration, 0, IterationRecord { 1, 2, 3 });
                if (file.isOpen()
                    || file.error().find("was closed by the program") == std::string::npos)
                    _exit(3);
            }
            _exit(fcntl(before, F_GETFD) < 0 ? 4 : 0);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
        QCOMPARE(own.size(), qint64 { 0 });
    }

    /// What such a program prints went into the recording.
    void theStandardDescriptorsOfAProgramThatHasNoneStayFree()
    {
        const pid_t child = fork();
        if (child == 0) {
            close(STDOUT_FILENO);
            const RecordFile file(path("low.lp").toStdString(),
                                  describeProcess(CollectorFramework));
            _exit(file.isOpen() && dup(STDERR_FILENO) == STDOUT_FILENO ? 0 : 1);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }

    /// One thread that records faster than the disk is would have kept all others' records.
    void drainingEndsWhileAThreadRecords()
    {
        RecordFile file(path("endless.lp").toStdString(), describeProcess(CollectorFramework));
        RecordRing ring(0);
        std::atomic<bool> isOver { false };
        std::thread recorder([&] {
            while (!isOver)
                ring.push(RecordIteration, 0, IterationRecord { 1, 2, 3 });
        });
        for (int i = 0; i < 100; ++i)
            file.drain(ring);
        isOver = true;
        recorder.join();
        const qint64 most = 100 * 2 * (static_cast<qint64>(ring.capacity()) + 100);
        QVERIFY(QFile(path("endless.lp")).size() < most);
    }

    void aFullRingDropsAndTheFileSaysHowMany()
    {
        const QString name = path("dropped.lp");
        {
            RecordFile file(name.toStdString(), describeProcess(CollectorFramework));
            RecordRing ring(0);
            std::uint64_t kept = 0;
            for (std::uint64_t index = 0; index < 10'000; ++index)
                kept += ring.push(RecordIteration, 0, IterationRecord { 1, 2, index }) ? 1 : 0;
            QVERIFY(kept < 10'000);
            file.drain(ring);
            QVERIFY(ring.push(RecordIteration, 0, IterationRecord { 1, 2, 10'000 }));
            file.drain(ring);
        }
        const Contents contents = contentsOf(name);
        QCOMPARE(contents.indices.size() + contents.dropped, std::uint64_t { 10'001 });
        QCOMPARE(contents.indices.back(), std::uint64_t { 10'000 });
    }

    void aRingSaysOnceThatItHasFilledUp()
    {
        RecordRing ring(0);
        const std::size_t half = ring.capacity() / 2 / recordSize(sizeof(IterationRecord));
        for (int round = 0; round < 5; ++round) {
            std::vector<std::size_t> said;
            for (std::size_t i = 1; i < 2 * half; ++i) {
                QVERIFY(ring.push(RecordIteration, 0, IterationRecord { 1, 2, i }));
                if (ring.hasFilledUp())
                    said.push_back(i);
            }
            QCOMPARE(said.size(), std::size_t { 1 });
            QVERIFY(said.front() >= half && said.front() <= half + 3);
            while (!ring.acquire().empty())
                ring.release();
            QVERIFY(!ring.hasFilledUp());
        }
    }

    void recordsOfAllSizesGoAroundTheRing()
    {
        const QString name = path("around.lp");
        RecordFile file(name.toStdString(), describeProcess(CollectorFramework));
        RecordRing ring(0);
        std::mt19937 random(3); // NOLINT: the same sequence each time
        std::vector<std::byte> more(LongpoleMaximumPayload);
        for (std::uint64_t index = 0; index < 2000; ++index) {
            const std::size_t size = random() % (index % 50 == 0 ? 60'000 : 500);
            const IterationRecord record { 1, 2, index };
            QVERIFY(ring.push(RecordIteration, 0, std::as_bytes(std::span(&record, 1)),
                              std::span(more).first(size)));
            if (index % 2 == 1)
                file.drain(ring);
        }
        file.drain(ring);
        QVERIFY(!ring.push(RecordString, 0, more, std::span(more).first(16))); // too large
        const Contents contents = contentsOf(name);
        QCOMPARE(contents.indices.size(), std::size_t { 2000 });
        QVERIFY(std::is_sorted(contents.indices.begin(), contents.indices.end()));
        QCOMPARE(contents.skippedBytes, std::uint64_t { 0 });
    }

    void oneThreadRecordsWhileAnotherWrites()
    {
        const QString name = path("threads.lp");
        constexpr std::uint64_t Count = 300'000;
        std::uint64_t dropped = 0;
        {
            RecordFile file(name.toStdString(), describeProcess(CollectorFramework));
            RecordRing ring(1 << 18);
            std::atomic<bool> isDone { false };
            std::thread recorder([&] {
                for (std::uint64_t index = 0; index < Count; ++index)
                    ring.push(RecordIteration, 0, IterationRecord { 1, 2, index });
                isDone = true;
            });
            while (!isDone)
                file.drain(ring);
            recorder.join();
            file.drain(ring);
        }
        const Contents contents = contentsOf(name);
        dropped = contents.dropped;
        QCOMPARE(contents.indices.size() + dropped, Count);
        QVERIFY(std::is_sorted(contents.indices.begin(), contents.indices.end()));
        QCOMPARE(contents.skippedBytes, std::uint64_t { 0 });
    }

    void aKilledProcessLeavesWholeRecords()
    {
        std::mt19937 random(11); // NOLINT: the same sequence each time
        for (int round = 0; round < 20; ++round) {
            const QString name = path("killed.lp");
            QFile::remove(name);
            const pid_t child = fork();
            if (child == 0)
                writeForever(name.toStdString());
            while (QFile(name).size() < 1000)
                usleep(100);
            usleep(static_cast<useconds_t>(random() % 5000));
            kill(child, SIGKILL);
            int status = 0;
            waitpid(child, &status, 0);
            QVERIFY(WIFSIGNALED(status));
            const Contents contents = contentsOf(name);
            QVERIFY(!contents.indices.empty());
            for (std::size_t i = 0; i < contents.indices.size(); ++i)
                QVERIFY(contents.dropped > 0 || contents.indices[i] == i);
            QVERIFY(contents.skippedBytes < 128); // less than two records
            QVERIFY(std::count(contents.kinds.begin(), contents.kinds.end(), int { RecordEnd })
                    == 0);
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RecordFileTest)
#include "tst_record_file.moc"
