#pragma once

#include "collectors/cupti/activity_reader.h"
#include "collectors/cupti/buffer_pool.h"
#include "collectors/cupti/cupti_library.h"
#include "collectors/cupti/settings.h"
#include "collectors/cupti/thread_logs.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace collectors {

/// The process's subscription to CUPTI: what is enabled, and the buffers that come back. There is
/// at most one, and it lives as long as the process, since CUPTI may call it at any time.
class CuptiSession
{
public:
    /// Subscribes; nothing is enabled yet. nullptr on failure, and `error` says why in one line.
    /// `wake` is called from any thread when a buffer has come back; `logs` take what callbacks
    /// record. Both must live as long as the process.
    static CuptiSession *start(const CuptiSettings &settings, ThreadLogs &logs,
                               std::function<void()> wake, std::string &error);

    /// From any thread; they do nothing in a process that has no session.
    static void pushExternalId(std::uint64_t id) noexcept;
    static std::uint64_t popExternalId() noexcept;
    /// In a forked child: whatever comes is refused.
    static void abandon() noexcept;

    // The rest is called by start()'s caller until it hands the session over to the thread that
    // writes, and then by that thread.

    void setRecording(bool isOn, std::int64_t nowNs);
    /// Makes CUPTI give back what it has: all that is complete, or really all.
    void flush(bool isForced);
    /// Buffers that have come back are read; true if there were any.
    bool readBuffers(ActivityReader &reader);
    /// Opens and closes the reader's windows as setRecording() was called.
    void passWindows(ActivityReader &reader);
    /// What CUPTI dropped since the last call, for want of buffers.
    std::uint64_t takeDropped();
    /// CUPTI's clock minus CLOCK_REALTIME; 0 if they are the same.
    std::int64_t measureClockOffset() const;
    /// To be called about every second: warns once if somebody else seems to get our buffers.
    void checkForTakeover(std::int64_t nowNs);

    const CuptiLibrary &library() const { return m_library; }

private:
    CuptiSession(const CuptiSettings &settings, ThreadLogs &logs, std::function<void()> wake);

    std::string subscribe();
    std::string enableAll();
    void setKernels(bool isOn);
    void quieten();
    void watchLaunches(bool isOn);
    void recordGraph(std::uint32_t id, const cupti::GraphData &graph) noexcept;

    static void onBufferRequested(std::uint8_t **buffer, std::size_t *size, std::size_t *maximum);
    static void onBufferCompleted(void *context, std::uint32_t stream, std::uint8_t *buffer,
                                  std::size_t size, std::size_t validSize);
    static void onCallback(void *user, std::uint32_t domain, std::uint32_t id, const void *data);

    struct Change
    {
        bool isOn = false;
        std::int64_t timeNs = 0;
    };

    CuptiLibrary m_library;
    const CuptiSettings m_settings;
    ThreadLogs &m_logs;
    std::function<void()> m_wake;
    BufferPool m_pool;
    cupti::Subscriber m_subscriber = nullptr;
    std::vector<Change> m_changes; ///< that the reader has not been told
    bool m_isRecording = false;
    bool m_hasKernels = false;
    bool m_hasComplained = false;
    std::atomic<bool> m_hasGivenBack { false }; ///< a buffer since the last check
    std::atomic<std::uint64_t> m_launches { 0 }; ///< while they are watched
    bool m_isWatching = false;
    bool m_hasWarned = false;
    std::int64_t m_silentSinceNs = 0;
};

} // namespace collectors
