#pragma once

#include "collectors/nccl/event_recorder.h"

#include <mutex>
#include <string_view>

namespace collectors {

/// The one recorder of the process, from its first communicator on, and what it needs of the
/// process: NCCL's mask, forks, the end, one line on stderr. Never destroyed.
class ProcessRecorder
{
public:
    constexpr ProcessRecorder() = default;

    /// `version` of the interface, for the message. nullptr: nothing is recorded for this
    /// communicator, and NCCL is asked for no events (`mask` is NCCL's, one for the process).
    void *addCommunicator(int version, int *mask, Contexts::Context context,
                          const char *name) noexcept;
    void finishCommunicator(void *context) noexcept;
    void endProcess() noexcept;

    /// nullptr before the first communicator.
    EventRecorder *recorder() const noexcept { return m_recorder.load(std::memory_order_acquire); }

private:
    EventRecorder &prepare();
    void giveUp(std::string_view why) noexcept;
    void endRecording(std::string_view why) noexcept;

    std::mutex m_mutex; ///< not taken by events
    std::atomic<EventRecorder *> m_recorder { nullptr };
    std::atomic<bool> m_isDead { false };
    std::atomic<int *> m_mask { nullptr };
    int m_communicatorCount = 0;
    bool m_hasSaidWhere = false;
};

ProcessRecorder &processRecorder();

} // namespace collectors
