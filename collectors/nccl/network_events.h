#pragma once

#include "collectors/nccl/operation_events.h"

#include <array>

namespace collectors {

/// Proxy operations (what one channel sends to, or receives from, one peer for one operation) and
/// their steps, the network transfers.
class NetworkEvents
{
public:
    static constexpr std::size_t MostOps = 8192, MostSteps = 16384; ///< at once

    /// Throws std::bad_alloc.
    NetworkEvents(Recording &recording, Contexts &contexts, OperationEvents &operations);

    /// Absent if it is not recorded. `parent` is that of the operation.
    std::optional<std::uint64_t> startOp(RecordOutput &output, std::uint32_t threadId,
                                         std::uint64_t context, std::uint64_t parent,
                                         const ProfilerEvent &event, std::int64_t nowNs) noexcept;
    void setOpState(std::uint64_t number, int state, const abi::StateArguments *arguments,
                    std::int64_t nowNs) noexcept;
    void stopOp(RecordOutput &output, std::uint64_t number, std::int64_t nowNs) noexcept;

    /// `parent` is that of the proxy operation. A step that is started again is the same one.
    std::optional<std::uint64_t> startStep(RecordOutput &output, std::uint32_t threadId,
                                           std::uint64_t parent, std::uint32_t step,
                                           std::int64_t nowNs) noexcept;
    /// `arguments` is nullptr where they do not hold a step's size.
    void setStepState(std::uint64_t number, int state, const abi::StateArguments *arguments,
                      std::int64_t nowNs) noexcept;
    void stopStep(RecordOutput &output, std::uint64_t number, std::int64_t nowNs) noexcept;

    /// In the writing thread: writes proxy operations that NCCL starts and never stops (those of
    /// CollNet and of copy engines), all open ones if `isLast`. `quietNowNs`: of quietClockNs().
    void sweep(RecordOutput &output, std::int64_t quietNowNs, bool isLast) noexcept;
    /// In the writing thread, when communicators have ended: what is kept of each makes room.
    void forgetContexts() noexcept;
    std::uint64_t takeGivenUp() noexcept { return m_ops.takeGivenUp() + m_steps.takeGivenUp(); }

private:
    static constexpr std::size_t MostOpenSteps = 16; ///< NCCL has 8 buffers of a connection

    struct OpenStep
    {
        std::uint64_t number; ///< 0: none
        std::uint32_t step;
    };
    struct Op
    {
        OperationKey key;
        std::uint64_t operation; ///< 0: of another process
        std::int64_t start, progress, dataStart;
        std::int64_t lastChange; ///< of quietClockNs()
        std::uint64_t bytes;
        std::uint32_t threadId, channel, peer, steps;
        bool isSend;
        std::array<OpenStep, MostOpenSteps> open; ///< step s is at s mod MostOpenSteps
    };
    struct Step
    {
        OperationKey key;
        std::uint64_t op;
        std::int64_t start;
        std::array<std::int64_t, 3> states; ///< as in ProxyStepRecord, but times
        std::uint64_t bytes;
        std::uint32_t threadId, channel, peer, step;
        bool isSend;
    };

    bool identify(Op &op, std::uint64_t context, std::uint64_t parent,
                  const ProfilerEvent &event) noexcept;
    void endLostStep(RecordOutput &output, Op &op, std::uint64_t number) noexcept;
    void closeOp(RecordOutput &output, SlotPool<Op>::Guard &slot, std::int64_t endNs) noexcept;
    static void addToOp(Op &op, const Step &step) noexcept;
    static void writeStep(RecordOutput &output, const Step &step, std::int64_t endNs) noexcept;

    Recording &m_recording;
    Contexts &m_contexts;
    OperationEvents &m_operations;
    SlotPool<Op> m_ops;
    SlotPool<Step> m_steps;
    CallNumbers m_numbers;
    const int m_processId;
};

} // namespace collectors
