// The session in the test's own process, with the stand-in for libcupti.
#include "collectors/cupti/buffer_pool.h"
#include "collectors/cupti/cupti_session.h"
#include "tests/collectors/cupti/cuda_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <time.h>
#include <unistd.h>

#include <cstring>
#include <set>

using namespace collectors;

namespace {

/// What is written to stderr meanwhile.
QString saidDuring(const std::function<void()> &action)
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("stderr"));
    QFile file(path);
    if (!file.open(QIODevice::ReadWrite))
        return QStringLiteral("?");
    const int saved = dup(STDERR_FILENO);
    dup2(file.handle(), STDERR_FILENO);
    action();
    dup2(saved, STDERR_FILENO);
    close(saved);
    file.seek(0);
    return QString::fromUtf8(file.readAll());
}

constexpr std::int64_t Second = 1'000'000'000;

} // namespace

class CuptiSessionTest : public QObject
{
    Q_OBJECT

private slots:
    void buffersAreGivenOnceAndComeBackInOrder()
    {
        BufferPool pool(3 * BufferPool::BufferBytes);
        QCOMPARE(pool.capacity(), std::size_t { 3 });
        std::set<std::uint8_t *> given;
        for (int i = 0; i < 3; ++i) {
            std::uint8_t *buffer = pool.give();
            QVERIFY(buffer != nullptr && reinterpret_cast<std::uintptr_t>(buffer) % 8 == 0);
            QVERIFY(given.insert(buffer).second);
        }
        QVERIFY(pool.give() == nullptr);
        const std::vector<std::uint8_t *> all(given.begin(), given.end());
        QVERIFY(pool.take(all[2], 7));
        QVERIFY(pool.take(all[0], BufferPool::BufferBytes + 1));
        QVERIFY(!pool.take(all[2], 7)); // twice
        std::uint8_t other = 0;
        QVERIFY(!pool.take(&other, 1));
        QVERIFY(!pool.take(nullptr, 1));
        const BufferPool::Filled first = pool.next();
        QCOMPARE(first.data, all[2]);
        QCOMPARE(first.validBytes, std::size_t { 7 });
        pool.release(first);
        const BufferPool::Filled second = pool.next();
        QCOMPARE(second.data, all[0]);
        QCOMPARE(second.validBytes, std::size_t { BufferPool::BufferBytes });
        pool.release(second);
        QVERIFY(pool.next().data == nullptr);
        QCOMPARE(pool.give() != nullptr, true);
    }

    /// In processor time, since other tests may run meanwhile.
    void aMillionRecordsAreWrittenWithinASecond()
    {
        constexpr std::size_t Count = 1'000'000;
        CuptiLibrary library;
        std::string error;
        QVERIFY2(loadCupti(LONGPOLE_STAND_IN_CUPTI, library, error), error.c_str());
        std::vector<std::uint8_t> records(BufferPool::BufferBytes);
        std::size_t size = 0;
        for (std::uint32_t i = 0; size + 256 <= records.size(); ++i) {
            const cupti::ApiActivity call {
                cupti::ActivityRuntime, cupti::CudaLaunchKernel, 100, 200, 1, 2, i, 0
            };
            cupti::KernelActivity kernel {};
            kernel.kind = cupti::ActivityKernel;
            kernel.start = 300;
            kernel.end = 400;
            kernel.correlation = i;
            kernel.name = "void at::native::vectorized_elementwise_kernel<4, float>(int, float)";
            std::memcpy(records.data() + size, &call, sizeof(call));
            std::memcpy(records.data() + size + sizeof(call), &kernel, sizeof(kernel));
            size += sizeof(call) + 216;
        }
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("speed.lp")).toStdString();
        RecordFile file(path, describeProcess(CollectorCupti));
        TextIds ids;
        ActivityReader reader(library, file, ids);
        reader.openWindow(0);
        const auto processorNs = [] {
            timespec now {};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
            return static_cast<std::int64_t>(now.tv_sec) * Second + now.tv_nsec;
        };
        const std::int64_t begin = processorNs();
        while (reader.recordCount() < Count) {
            reader.read(records.data(), size);
            reader.finishRound();
        }
        const std::int64_t perRecordNs
            = (processorNs() - begin) / static_cast<std::int64_t>(reader.recordCount());
        qInfo("%lld ns a record", static_cast<long long>(perRecordNs));
        QVERIFY(perRecordNs < 1000);
        QVERIFY(QFile(QString::fromStdString(path)).size()
                >= static_cast<qint64>(Count / 2 * (64 + 112)));
    }

    /// Another profiler of the process may have it, then.
    void whatCannotBeUsedIsGivenBack()
    {
        qputenv("LONGPOLE_LIBCUPTI", LONGPOLE_STAND_IN_CUPTI);
        qputenv("STAND_IN_NO_BUFFERS", "1");
        static TextIds ids; // these live as long as the process
        static WakeUp wake;
        static ThreadLogs logs(ids, wake);
        for (int i = 0; i < 2; ++i) {
            std::string error;
            QVERIFY(CuptiSession::start(
                        readCuptiSettings(), logs, [] {}, error)
                    == nullptr);
            QVERIFY2(error.find("CUPTI takes no buffers") != std::string::npos, error.c_str());
        }
        qunsetenv("STAND_IN_NO_BUFFERS");
    }

    void silenceWhileKernelsAreLaunchedIsSaidOnce()
    {
        qputenv("LONGPOLE_LIBCUPTI", LONGPOLE_STAND_IN_CUPTI);
        const CuptiSettings settings = readCuptiSettings();
        static TextIds ids; // these live as long as the process
        static WakeUp wake;
        static ThreadLogs logs(ids, wake);
        std::string error;
        CuptiSession *session = CuptiSession::start(
            settings, logs, [] {}, error);
        QVERIFY2(session != nullptr, error.c_str());
        QVERIFY(CuptiSession::start(
                    settings, logs, [] {}, error)
                == nullptr);
        QVERIFY(error.find("uses CUPTI in this process already") != std::string::npos);
        tests::CudaProgram program;
        program.findCupti();
        const auto launchUnseen
            = [&program] { program.callback(cupti::RuntimeApi, cupti::CudaLaunchKernel, nullptr); };
        session->setRecording(true, 1);
        const auto check = [&](std::int64_t seconds) {
            return saidDuring([&] { session->checkForTakeover(seconds * Second); });
        };
        QCOMPARE(check(1), QString());
        launchUnseen(); // not watched yet: that would cost every launch
        QCOMPARE(check(7), QString());
        QCOMPARE(check(12), QString());
        launchUnseen();
        const QString said = check(13);
        QVERIFY2(said.contains(QStringLiteral("seems to have taken over")), qPrintable(said));
        launchUnseen();
        QCOMPARE(check(30), QString());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CuptiSessionTest)
#include "tst_cupti_session.moc"
