#pragma once

#include "collectors/nccl/profiler_event.h"
#include "collectors/nccl/recording.h"
#include "collectors/nccl/slot_pool.h"

#include <optional>

namespace collectors {

/// The communicators that NCCL told of, one for each rank of this process.
class Contexts
{
public:
    static constexpr std::size_t MostContexts = 4096; ///< at once

    struct Context
    {
        std::uint64_t
            communicator; ///< 0: not known yet (versions 1 to 3 say it with the first event)
        std::uint32_t name, rank, rankCount, nodeCount; ///< rankCount, nodeCount 0: unknown
        std::uint32_t device;
        bool isWritten, isFinished;
    };

    /// Throws std::bad_alloc.
    explicit Contexts(Recording &recording)
        : m_recording(recording)
        , m_pool(MostContexts)
    {
    }

    /// Absent if there is no room: nothing of a communicator that lives makes place.
    std::optional<std::uint64_t> add(const Context &context) noexcept;
    /// No further events will come.
    void finish(std::uint64_t number) noexcept;
    bool isFinished(std::uint64_t number) noexcept;
    /// Not forgotten yet.
    bool isOpen(std::uint64_t number) const noexcept { return m_pool.isOpen(number); }
    /// That the event belongs to; learns what the event says about it.
    std::optional<Context> contextOf(std::uint64_t number, const ProfilerEvent &event) noexcept;
    /// In the writing thread. `mayForget`: nothing refers to the finished ones any more. True if
    /// some were forgotten.
    bool write(RecordOutput &output, bool mayForget) noexcept;

private:
    Recording &m_recording;
    SlotPool<Context> m_pool;
};

} // namespace collectors
