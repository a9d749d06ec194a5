#include "collectors/cupti/recorder.h"

#include "collectors/format/errno_guard.h"
#include "collectors/format/message.h"
#include "collectors/format/new_recording.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace collectors {

namespace {

    constexpr std::int64_t NsPerSecond = 1'000'000'000;
    constexpr std::int64_t TickNs = NsPerSecond / 10;
    constexpr std::int64_t ClocksNs = 10 * NsPerSecond;

    std::int64_t readNs(clockid_t clock)
    {
        timespec now {};
        clock_gettime(clock, &now);
        return static_cast<std::int64_t>(now.tv_sec) * NsPerSecond + now.tv_nsec;
    }

    void finishAtExit()
    {
        if (Recorder *recorder = Recorder::current())
            recorder->finish();
    }

} // namespace

std::atomic<Recorder *> Recorder::theRecorder { nullptr };

Recorder::Recorder(CuptiSettings settings)
    : m_settings(std::move(settings))
    , m_window(m_settings, readNs(CLOCK_MONOTONIC))
    , m_logs(m_ids, m_wake)
    , m_processId(getpid())
{
}

/// One thread of each process opens it; others wait, as none may go without.
Recorder *Recorder::open() noexcept
{
    const ErrnoGuard errnoGuard;
    static std::atomic<int> beginner { 0 }, ender { 0 }; // ids of processes
    constexpr int MostWaits = 2000;
    const int process = getpid();
    int last = beginner.load();
    if (current() == nullptr && last != process
        && beginner.compare_exchange_strong(last, process)) {
        openOnce();
        ender.store(process);
    }
    for (int i = 0; i < MostWaits && ender.load() != process; ++i)
        usleep(1000);
    return current();
}

void Recorder::openOnce() noexcept
{
    try {
        CuptiSettings settings = readCuptiSettings();
        for (const std::string &complaint : settings.complaints)
            say(complaint);
        std::unique_ptr<Recorder> recorder(new Recorder(std::move(settings)));
        if (!recorder->openFile() || !recorder->startThread())
            return;
        recorder->installSignal();
        Recorder *raw = recorder.release(); // threads use it to the very end
        theRecorder.store(raw, std::memory_order_release);
        static const bool isPrepared = pthread_atfork(nullptr, nullptr, &abandonInChild) == 0;
        static_cast<void>(isPrepared);
        std::atexit(&finishAtExit);
        say("recording to ", raw->m_path);
        if (!ThreadLogs::isUsable())
            say("ranges are not recorded: the process has no thread-specific data left");
    } catch (...) {
        say("nothing is recorded: no memory");
    }
}

bool Recorder::openFile()
{
    NewRecording made = createRecording(m_settings.folder, CollectorCupti, "cupti");
    m_file = std::move(made.file);
    m_path = std::move(made.path);
    if (m_file == nullptr)
        say("nothing is recorded: ", made.error);
    return m_file != nullptr;
}

/// With all signals blocked: handlers of the program run in its own threads.
bool Recorder::startThread()
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread {};
    const int result = pthread_create(&thread, nullptr, &runThread, this);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (result != 0) {
        say("nothing is recorded: no thread can be started");
        return false;
    }
    pthread_detach(thread);
    return true;
}

void Recorder::installSignal()
{
    if (m_settings.signal == 0)
        return;
    struct sigaction before = {};
    struct sigaction action = {};
    action.sa_handler = &onSignal;
    action.sa_flags = SA_RESTART;
    sigaction(m_settings.signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL && before.sa_handler != &onSignal) {
        say("LONGPOLE_SIGNAL is ignored: the program handles that signal itself");
        return;
    }
    sigaction(m_settings.signal, &action, nullptr);
}

void Recorder::onSignal(int)
{
    const int saved = errno;
    if (Recorder *recorder = current()) {
        recorder->m_window.noteToggle();
        recorder->wake();
    }
    errno = saved;
}

/// The child has neither the thread nor the right to write: whatever it inherits is left alone.
void Recorder::abandonInChild() noexcept
{
    theRecorder.store(nullptr, std::memory_order_release);
    CuptiSession::abandon();
}

bool Recorder::startCupti() noexcept
{
    const ErrnoGuard errnoGuard;
    if (m_settings.groups == 0 || m_hasTriedCupti.exchange(true))
        return hasCupti();
    try {
        std::string error;
        CuptiSession *session = CuptiSession::start(
            m_settings, m_logs, [this] { wake(); }, error);
        if (session == nullptr) {
            say("CUDA is not recorded: ", error);
            return false;
        }
        session->setRecording(m_window.isOpen(), readNs(CLOCK_REALTIME));
        std::atexit(&finishAtExit); // once more: before libcupti, which was loaded just now, ends
        m_session.store(session, std::memory_order_release); // from here on it is the thread's
        return true;
    } catch (...) {
        say("CUDA is not recorded: no memory");
        return false;
    }
}

std::int64_t Recorder::beginIteration() noexcept
{
    m_window.noteIteration();
    wake();
    return m_iterations.fetch_add(1, std::memory_order_relaxed);
}

void Recorder::order(bool open) noexcept
{
    m_window.noteOrder(open);
    wake();
}

void *Recorder::runThread(void *recorder)
{
    pthread_setname_np(pthread_self(), "longpole");
    try {
        static_cast<Recorder *>(recorder)->run();
    } catch (...) {
        say("the recording ends here: no memory");
    }
    static_cast<Recorder *>(recorder)->m_hasEnded.store(true, std::memory_order_relaxed);
    static_cast<Recorder *>(recorder)->m_done.post();
    return nullptr;
}

void Recorder::run()
{
    m_nextClocksNs = readNs(CLOCK_MONOTONIC) + ClocksNs;
    while (!m_isEnding.load(std::memory_order_acquire)) {
        m_wake.waitFor(TickNs);
        tick(readNs(CLOCK_MONOTONIC));
    }
    writeLastRecords();
}

void Recorder::tick(std::int64_t nowNs)
{
    const bool isOpen = m_window.update(nowNs) && m_file->isOpen();
    CuptiSession *session = m_session.load(std::memory_order_acquire);
    if (session != nullptr) {
        if (m_reader == nullptr) {
            m_reader = std::make_unique<ActivityReader>(session->library(), *m_file, m_ids);
            m_nextClocksNs = nowNs; // the clock is to be known before the first record
        }
        session->setRecording(isOpen, readNs(CLOCK_REALTIME));
        session->passWindows(*m_reader);
    }
    if (nowNs >= m_nextClocksNs)
        keepClocks(nowNs);
    if (session != nullptr && nowNs >= m_nextCheckNs) {
        m_nextCheckNs = nowNs + NsPerSecond;
        session->checkForTakeover(nowNs);
    }
    const bool isFlushDue = nowNs >= m_nextFlushNs;
    if (isFlushDue && session != nullptr)
        session->flush(false);
    if (isFlushDue)
        m_nextFlushNs = readNs(CLOCK_MONOTONIC) + m_settings.flushNs;
    writeOut();
    if (isFlushDue && m_reader != nullptr)
        m_reader->finishRound();
}

void Recorder::writeOut()
{
    m_logs.drain(*m_file);
    if (m_reader != nullptr) {
        CuptiSession *session = m_session.load(std::memory_order_acquire);
        session->readBuffers(*m_reader);
        if (const std::uint64_t dropped = session->takeDropped())
            m_file->write(RecordDropped, 0, DroppedRecord { readNs(CLOCK_REALTIME), dropped });
    }
    if (!m_file->isOpen() && !std::exchange(m_hasSaidDiskFull, true))
        say("the recording ends here: ", m_file->error());
}

void Recorder::keepClocks(std::int64_t nowNs)
{
    m_nextClocksNs = nowNs + ClocksNs;
    m_file->writeClockPairs();
    CuptiSession *session = m_session.load(std::memory_order_acquire);
    if (session == nullptr || m_reader == nullptr)
        return;
    const std::int64_t offsetNs = session->measureClockOffset();
    if (offsetNs != 0 && m_clockOffsetNs == 0)
        say("CUPTI's clock is " + std::to_string(offsetNs)
            + " ns ahead of the system's; its times are recorded in the system's");
    m_clockOffsetNs = offsetNs;
    m_reader->setClockOffset(offsetNs);
}

void Recorder::writeLastRecords()
{
    tick(readNs(CLOCK_MONOTONIC)); // a session of the last moment
    if (CuptiSession *session = m_session.load(std::memory_order_acquire)) {
        session->setRecording(false, readNs(CLOCK_REALTIME));
        session->passWindows(*m_reader);
        session->flush(true);
    }
    writeOut();
    if (m_reader != nullptr)
        m_reader->finish();
    m_hasEnded.store(true, std::memory_order_relaxed);
    m_file->end();
    if (!m_file->isOpen() && !std::exchange(m_hasSaidDiskFull, true))
        say("the recording ends here: ", m_file->error());
    m_file.reset();
}

/// The writing thread does the rest, and is not waited for if CUPTI or the disk hangs.
void Recorder::finish() noexcept
{
    constexpr std::int64_t LongestNs = 10 * NsPerSecond;
    const ErrnoGuard errnoGuard;
    if (getpid() != m_processId || m_isEnding.exchange(true))
        return;
    wake();
    if (!m_done.waitFor(LongestNs))
        say("the recording was not completed: CUPTI or the disk does not answer");
}

} // namespace collectors
