#include "collectors/nccl/recording.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace collectors {

namespace {

    using Clock = std::chrono::steady_clock;

    // A ring then holds the steps of 400 000 a second.
    constexpr std::chrono::milliseconds TurnPeriod(25);
    constexpr std::chrono::seconds ClockPairPeriod(10), LongestEnd(5);
    constexpr int MostFilesOfName = 100; // a process id may come again

    /// The file itself, for its own thread.
    class FileOutput : public RecordOutput
    {
    public:
        explicit FileOutput(RecordFile &file)
            : m_file(file)
        {
        }
        using RecordOutput::put;
        void put(RecordKind kind, std::uint32_t threadId,
                 std::span<const std::byte> payload) noexcept override
        {
            m_file.write(kind, threadId, payload);
        }

    private:
        RecordFile &m_file;
    };

    std::string fileName(const FileHeader &header)
    {
        std::string name = header.hostName[0] != '\0' ? header.hostName : "host";
        std::replace(name.begin(), name.end(), '/', '_');
        if ((header.flags & FileHasRank) != 0)
            name += '-' + std::to_string(header.rank);
        return name + '-' + std::to_string(header.processId);
    }

    std::string outputFolder()
    {
        const char *folder = std::getenv("LONGPOLE_OUT");
        if (folder == nullptr || *folder == '\0')
            return ".";
        mkdir(folder, 0777); // if it fails, creating the file says why
        return folder;
    }

    std::int64_t realtimeNs()
    {
        timespec now {};
        clock_gettime(CLOCK_REALTIME, &now);
        return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    }

    /// Starts a thread that no signal of the job is delivered to.
    template <class Function>
    std::thread quietThread(Function function)
    {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        std::thread thread;
        std::exception_ptr failure;
        try {
            thread = std::thread(std::move(function));
        } catch (...) {
            failure = std::current_exception();
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        if (failure)
            std::rethrow_exception(failure);
        return thread;
    }

} // namespace

bool Recording::start()
{
    if (hasFailed())
        return false;
    try {
        if (!m_rings.isUsable()) {
            m_error = "the process has no thread-specific data left";
            return false;
        }
        if (m_file == nullptr && !createFile())
            return false;
        m_mustEnd = m_hasEnded = false;
        m_thread = quietThread([this] { run(); });
        return true;
    } catch (const std::exception &failure) {
        m_error = failure.what();
        return false;
    }
}

bool Recording::createFile()
{
    const FileHeader header = describeProcess(CollectorNccl);
    const std::string start = outputFolder() + '/' + fileName(header);
    for (int i = 1; i <= MostFilesOfName; ++i) {
        m_path = start + (i > 1 ? "-" + std::to_string(i) : "") + ".nccl.lp";
        errno = 0;
        auto file = std::make_unique<RecordFile>(m_path, header);
        if (file->isOpen()) {
            m_file = std::move(file);
            return true;
        }
        m_error = file->error();
        if (errno != EEXIST)
            break;
    }
    return false;
}

void Recording::pause()
{
    if (!m_thread.joinable())
        return;
    std::unique_lock lock(m_mutex);
    m_mustEnd = true;
    m_changed.notify_all();
    const bool hasEnded = m_changed.wait_for(lock, LongestEnd, [this] { return m_hasEnded; });
    lock.unlock();
    if (hasEnded) {
        m_thread.join();
        return;
    }
    m_thread.detach(); // it goes on with this object, which is never destroyed
    m_hasFailed = true;
}

void Recording::end()
{
    pause();
    if (m_file != nullptr && !hasFailed())
        m_file->end();
}

void Recording::run()
{
    pthread_setname_np(pthread_self(), "longpole-nccl");
    auto nextClocks = Clock::now() + ClockPairPeriod;
    std::unique_lock lock(m_mutex);
    for (bool isLast = false; !isLast;) {
        m_changed.wait_for(lock, TurnPeriod, [this] { return m_mustEnd; });
        isLast = m_mustEnd;
        lock.unlock();
        if (Clock::now() >= nextClocks) {
            m_file->writeClockPairs();
            nextClocks = Clock::now() + ClockPairPeriod;
        }
        turn(isLast);
        lock.lock();
    }
    m_hasEnded = true;
    m_changed.notify_all();
}

void Recording::turn(bool isLast)
{
    FileOutput output(*m_file);
    m_onTurn(output, isLast);
    // Before: what is killed between the two has its texts. After: texts of what came meanwhile.
    m_texts.writeNew(*m_file);
    m_rings.drain(*m_file);
    m_texts.writeNew(*m_file);
    if (const std::uint64_t dropped = m_dropped.exchange(0, std::memory_order_relaxed))
        m_file->write(RecordDropped, 0, DroppedRecord { realtimeNs(), dropped });
    if (!m_file->isOpen())
        m_hasFailed.store(true, std::memory_order_relaxed);
}

} // namespace collectors
