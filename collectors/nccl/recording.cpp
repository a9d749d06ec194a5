#include "collectors/nccl/recording.h"

#include "collectors/format/new_recording.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <system_error>

namespace collectors {

namespace {

    using Clock = std::chrono::steady_clock;

    constexpr std::int64_t TurnNs = 25'000'000; ///< or less: a ring that is half full wakes it
    constexpr std::int64_t LongestEndNs = 5'000'000'000;
    constexpr std::chrono::seconds ClockPairPeriod(10);

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
    if (hasFailed()) {
        m_error = "the file could not be written before";
        return false;
    }
    if (!m_rings.isUsable()) {
        m_error = "the process has no thread-specific data left";
        return false;
    }
    try {
        if (m_file == nullptr && !createFile())
            return false;
        m_mustEnd = false;
        m_thread = quietThread([this] { run(); });
        return true;
    } catch (const std::system_error &) {
        m_error = "no thread can be started";
        return false;
    }
}

bool Recording::createFile()
{
    const char *folder = std::getenv("LONGPOLE_OUT");
    NewRecording made = createRecording(folder != nullptr && *folder != '\0' ? folder : ".",
                                        CollectorNccl, "nccl");
    m_file = std::move(made.file);
    m_path = std::move(made.path);
    m_error = std::move(made.error);
    return m_file != nullptr;
}

void Recording::pause()
{
    if (!m_thread.joinable())
        return;
    m_mustEnd = true;
    wake();
    if (m_ended.waitFor(LongestEndNs)) {
        m_thread.join();
        return;
    }
    m_thread.detach(); // it goes on with this object, which is never destroyed
    fail(m_path + ": the disk does not answer");
}

void Recording::end()
{
    pause();
    if (m_file == nullptr || hasFailed())
        return;
    m_file->end();
    if (!m_file->isOpen())
        fail(m_file->error());
}

void Recording::run()
{
    pthread_setname_np(pthread_self(), "longpole-nccl");
    try {
        turns();
    } catch (const std::exception &) {
        fail("no memory");
    }
    m_ended.post();
}

void Recording::turns()
{
    auto nextClocks = Clock::now() + ClockPairPeriod;
    for (bool isLast = false; !isLast;) {
        m_wake.waitFor(TurnNs);
        isLast = m_mustEnd;
        if (Clock::now() >= nextClocks) {
            m_file->writeClockPairs();
            nextClocks = Clock::now() + ClockPairPeriod;
        }
        turn(isLast);
    }
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
        fail(m_file->error());
}

void Recording::fail(std::string_view why)
{
    if (!m_hasFailed.exchange(true) && m_onFailure)
        m_onFailure(why);
}

} // namespace collectors
