#pragma once

#include "collectors/format/wake_up.h"
#include "collectors/nccl/text_table.h"
#include "collectors/nccl/thread_rings.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace collectors {

/// Where finished records go: a ring while the job runs, the file where its own thread finishes.
class RecordOutput
{
public:
    virtual ~RecordOutput() = default;
    virtual void put(RecordKind kind, std::uint32_t threadId,
                     std::span<const std::byte> payload) noexcept = 0;
    template <class Record>
    void put(RecordKind kind, std::uint32_t threadId, const Record &record) noexcept
    {
        put(kind, threadId, std::as_bytes(std::span(&record, 1)));
    }
};

/// The process's recording: its file, and the thread that writes it.
///
/// One file a process, named <host>-<rank>-<pid>.nccl.lp, in the folder LONGPOLE_OUT or else in the
/// working folder. It stays open from the first communicator to the end of the process, the thread
/// runs while there are communicators. Never destroyed, like everything that callbacks use: NCCL's
/// threads run until the process ends.
class Recording
{
public:
    /// What there is to do before the rings are drained, in the writing thread: `isLast` when the
    /// thread ends.
    using OnTurn = std::function<void(RecordOutput &output, bool isLast)>;
    /// Called once, from any thread, when the file cannot be written any more, and why.
    using OnFailure = std::function<void(std::string_view why)>;

    explicit Recording(OnTurn onTurn)
        : m_onTurn(std::move(onTurn))
    {
    }
    /// Before start().
    void setOnFailure(OnFailure onFailure) { m_onFailure = std::move(onFailure); }

    /// Creates the file at the first call and starts the thread. False: see error().
    bool start();
    /// Writes everything that is there and ends the thread, which gets 5 s for it: a disk that
    /// hangs does not keep the process.
    void pause();
    /// At the end of the process: pause(), then the file's last record.
    void end();

    const std::string &error() const { return m_error; }
    const std::string &path() const { return m_path; }
    /// The file cannot be written any more.
    bool hasFailed() const { return m_hasFailed.load(std::memory_order_relaxed); }

    /// The rings are emptied at once. From any thread.
    void wake() noexcept { m_wake.post(); }

    ThreadRings &rings() { return m_rings; }
    TextTable &texts() { return m_texts; }
    /// Counts what found no room anywhere.
    void countDropped(std::uint64_t count = 1) noexcept
    {
        m_dropped.fetch_add(count, std::memory_order_relaxed);
    }

private:
    bool createFile();
    void run();
    void turns();
    void turn(bool isLast);
    void fail(std::string_view why);

    OnTurn m_onTurn;
    OnFailure m_onFailure;
    ThreadRings m_rings;
    TextTable m_texts;
    std::atomic<std::uint64_t> m_dropped { 0 };
    std::atomic<bool> m_hasFailed { false };
    std::unique_ptr<RecordFile> m_file; ///< of the thread while it runs
    std::string m_path, m_error;

    WakeUp m_wake, m_ended;
    std::atomic<bool> m_mustEnd { false };
    std::thread m_thread;
};

} // namespace collectors
