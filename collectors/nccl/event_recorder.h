#pragma once

#include "collectors/nccl/network_events.h"
#include "collectors/nccl/shared_window.h"

#include <atomic>
#include <functional>

namespace collectors {

/// What NCCL's callbacks do: turns the events of all communicators of a process into records. Any
/// thread may call anything at any time, with handles that are no longer valid, too. Never
/// destroyed (see Recording).
class EventRecorder
{
public:
    /// `mask`: the events that NCCL is asked for. Throws std::bad_alloc.
    explicit EventRecorder(int mask);

    /// From the first communicator on. False: recording().error() says why.
    bool start();
    /// After the last communicator: everything goes to the file.
    void pause();
    /// At the end of the process.
    void end();
    Recording &recording() { return m_recording; }
    SharedWindow &window() { return m_window; }
    /// Called with the events that NCCL is to be asked for from now on, from any thread.
    void setOnMask(std::function<void(int mask)> onMask) { m_onMask = std::move(onMask); }
    /// The events that NCCL reports from now on.
    int mask() const noexcept { return m_mask.load(std::memory_order_relaxed); }
    /// For good, as in a forked child: nothing is recorded, nothing is written.
    void abandon() noexcept { m_isOn.store(false, std::memory_order_relaxed); }

    /// nullptr if there is no room.
    void *addContext(const Contexts::Context &context) noexcept;
    void finishContext(void *context) noexcept;

    /// nullptr if it is not recorded.
    void *startEvent(void *context, const ProfilerEvent &event) noexcept;
    void stopEvent(void *handle) noexcept;
    /// `hasStepSizes`: the arguments of a step's state hold its size (from version 4 on).
    void setState(void *handle, int state, const abi::StateArguments *arguments,
                  bool hasStepSizes) noexcept;

private:
    struct KernelChannel
    {
        OperationEvents::Parent operation;
        std::int64_t start;
        std::uint64_t gpuStart, gpuEnd;
        std::uint32_t threadId, channel;
    };
    struct HostCall
    {
        std::int64_t start;
        std::uint32_t threadId, name;
    };

    void *startChild(RecordOutput &output, std::uint32_t threadId, std::uint64_t context,
                     const ProfilerEvent &event, std::int64_t nowNs) noexcept;
    std::optional<std::uint64_t> startKernelChannel(RecordOutput &output, std::uint32_t threadId,
                                                    const ProfilerEvent &event,
                                                    std::int64_t nowNs) noexcept;
    void stopKernelChannel(RecordOutput &output, std::uint64_t number, std::int64_t nowNs) noexcept;
    std::optional<std::uint64_t> startHostCall(std::uint32_t threadId, const ProfilerEvent &event,
                                               std::int64_t nowNs) noexcept;
    void stopHostCall(RecordOutput &output, std::uint64_t number, std::int64_t nowNs) noexcept;
    std::uint32_t nameOfCall(const ProfilerEvent &event) noexcept;
    bool isAdmitted() noexcept;
    void ask(int mask) noexcept;
    void followWindow() noexcept;
    void turn(RecordOutput &output, bool isLast) noexcept;

    const int m_wantedMask;
    std::atomic<bool> m_isOn { false };
    SharedWindow m_window;
    std::atomic<int> m_mask; ///< that NCCL is asked for: m_wantedMask while the window is open
    std::atomic<bool> m_wasClosed { false }; ///< the window, at any time
    std::function<void(int)> m_onMask;
    int m_turns = 0;
    int m_closedTurns = 0; ///< since the window was open
    Recording m_recording;
    Contexts m_contexts;
    OperationEvents m_operations;
    NetworkEvents m_network;
    SlotPool<KernelChannel> m_kernels;
    SlotPool<HostCall> m_calls;
};

} // namespace collectors
