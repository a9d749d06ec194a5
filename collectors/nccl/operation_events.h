#pragma once

#include "collectors/nccl/call_numbers.h"
#include "collectors/nccl/contexts.h"

namespace collectors {

/// Collectives, sends and receives, from their enqueuing on the host to the end of what belongs to
/// them on the network and the GPU. NCCL does not say when that is: an operation is written when it
/// was enqueued, all its kernel channels ended (where NCCL says how many there are) and no network
/// operation is open, else when it was quiet for a while.
class OperationEvents
{
public:
    static constexpr std::size_t MostOperations = 32768; ///< that are enqueued and not finished

    /// What a kernel channel or network operation must know of its operation.
    struct Parent
    {
        OperationKey key;
        std::uint64_t number;
        std::uint32_t device;
    };
    /// What a kernel channel or network operation says when it ends; 0: unknown.
    struct Child
    {
        bool isKernel;
        std::int64_t kernelStart, dataStart, end;
    };

    /// Throws std::bad_alloc.
    OperationEvents(Recording &recording, Contexts &contexts, bool hasKernelChannels);

    /// Absent if it is not recorded.
    std::optional<std::uint64_t> start(RecordOutput &output, std::uint32_t threadId,
                                       std::uint64_t context, const ProfilerEvent &event,
                                       std::int64_t nowNs) noexcept;
    void stop(RecordOutput &output, std::uint64_t number, std::int64_t nowNs) noexcept;
    /// One that is not recorded: its rank's sends and receives are counted on, since the other
    /// rank, whose window is another, may record it.
    void pass(std::uint64_t context, const ProfilerEvent &event) noexcept;
    /// Absent if there is no such operation. A child that comes after its operation was written is
    /// recorded on its own.
    std::optional<Parent> beginChild(std::uint64_t number) noexcept;
    void endChild(RecordOutput &output, std::uint64_t number, const Child &child) noexcept;
    bool isOpen(std::uint64_t number) const noexcept { return m_pool.isOpen(number); }

    /// In the writing thread: writes those that are over, all of them if `isLast`.
    /// `quietNowNs`: of quietClockNs().
    void sweep(RecordOutput &output, std::int64_t quietNowNs, bool isLast) noexcept;
    /// In the writing thread, when communicators have ended: what is kept of each makes room.
    void forgetContexts() noexcept;
    std::uint64_t takeGivenUp() noexcept { return m_pool.takeGivenUp(); }

private:
    struct Operation
    {
        OperationKey key;
        std::uint64_t context;
        std::int64_t start, end; ///< end 0: not yet enqueued
        std::int64_t kernelStart, dataStart, deviceEnd; ///< 0: none
        std::int64_t lastChange; ///< of quietClockNs()
        std::uint64_t count, bytes;
        std::uint32_t threadId, device;
        std::uint32_t datatype, algorithm, protocol, root, peer, channels;
        std::uint32_t expectedKernels, endedKernels, openChildren; ///< expected 0: unknown
        bool hadChildren, isPointToPoint, isSend;
    };

    bool identify(Operation &operation, std::uint64_t context, const ProfilerEvent &event) noexcept;
    bool isComplete(const Operation &operation) const noexcept;
    bool isOver(const Operation &operation, std::int64_t quietNowNs) noexcept;
    static void closeAndWrite(RecordOutput &output, SlotPool<Operation>::Guard &slot) noexcept;
    static void write(RecordOutput &output, const Operation &operation) noexcept;

    Recording &m_recording;
    Contexts &m_contexts;
    const bool m_hasKernelChannels;
    SlotPool<Operation> m_pool;
    CallNumbers m_numbers;
    std::uint64_t m_firstOpen = 1; ///< of the writing thread: none before is open
};

} // namespace collectors
