#pragma once

#include "collectors/cupti/cupti_session.h"
#include "collectors/cupti/recording_window.h"
#include "collectors/cupti/settings.h"
#include "collectors/cupti/text_ids.h"
#include "collectors/cupti/thread_logs.h"
#include "collectors/format/record_file.h"
#include "collectors/format/wake_up.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace collectors {

/// The process's recording: its file and the thread that fills it. There is at most one at a time,
/// and it lives as long as the process. A forked child has none until it opens its own.
class Recorder
{
public:
    /// nullptr: none, for good or not yet.
    static Recorder *current() noexcept { return theRecorder.load(std::memory_order_acquire); }
    /// The process's, opened if need be: its file is created and what it will record, or why
    /// nothing, is said. nullptr if that failed, once and for all.
    static Recorder *open() noexcept;

    /// Subscribes to CUPTI unless that was tried before. False if CUDA is not recorded.
    bool startCupti() noexcept;
    /// Whether CUPTI is taken.
    bool hasCupti() const { return m_session.load(std::memory_order_acquire) != nullptr; }

    ThreadLog *log() noexcept { return m_logs.mine(); }
    /// Whether to record just now.
    bool isOpen() const { return m_window.isOpen() && !m_hasEnded.load(std::memory_order_relaxed); }
    /// As isOpen(), but for the recording's end: for others that record in the same window.
    bool isWindowOpen() const { return m_window.isOpen(); }
    bool isIteration(std::string_view rangeName) const
    {
        return !m_settings.iterationRange.empty()
            && rangeName.starts_with(m_settings.iterationRange);
    }
    /// An iteration begins; its number.
    std::int64_t beginIteration() noexcept;
    void order(bool open) noexcept;

    /// Everything that was recorded is in the file, which is closed. Waits for at most 10 s.
    void finish() noexcept;

private:
    explicit Recorder(CuptiSettings settings);

    static void openOnce() noexcept;
    static void abandonInChild() noexcept;
    static void onSignal(int);
    static void *runThread(void *recorder);

    bool openFile();
    bool startThread();
    void installSignal();
    void run();
    void tick(std::int64_t nowNs);
    void writeOut();
    void keepClocks(std::int64_t nowNs);
    void writeLastRecords();
    void wake() noexcept { m_wake.post(); }

    static std::atomic<Recorder *> theRecorder;

    const CuptiSettings m_settings;
    RecordingWindow m_window;
    WakeUp m_wake, m_done;
    TextIds m_ids;
    ThreadLogs m_logs;
    std::unique_ptr<RecordFile> m_file;
    std::string m_path;
    std::atomic<bool> m_hasTriedCupti { false };
    std::atomic<CuptiSession *> m_session { nullptr };
    std::unique_ptr<ActivityReader> m_reader; ///< once there is a session
    std::atomic<std::int64_t> m_iterations { 0 };
    std::atomic<bool> m_isEnding { false }, m_hasEnded { false };
    bool m_hasSaidDiskFull = false;
    std::int64_t m_nextFlushNs = 0, m_nextClocksNs = 0, m_nextCheckNs = 0;
    std::int64_t m_clockOffsetNs = 0;
    int m_processId = 0;
};

} // namespace collectors
