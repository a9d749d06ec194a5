#include "collectors/nccl/event_recorder.h"

#include "collectors/nccl/quiet_clock.h"

#include <time.h>

#include <array>
#include <cstring>
#include <utility>

namespace collectors {

namespace {

    constexpr std::size_t MostKernelChannels = 8192, MostHostCalls = 4096; // at once
    constexpr int TurnsOfSweep = 10; // of the writing thread
    /// Turns of a closed window in which operations that were begun before may come to their end.
    constexpr int TurnsOfGrace = 40;
    /// Of a closed window: the first operation after it shows that it is open again, and sends and
    /// receives are counted all the time.
    constexpr int OperationEventTypes = abi::Coll | abi::P2p | abi::CeColl;
    constexpr std::uint64_t ChildEventTypes = abi::ProxyOp | abi::ProxyStep | abi::KernelCh;

    std::int64_t eventTimeNs() noexcept
    {
        timespec now {};
        clock_gettime(CLOCK_REALTIME, &now);
        return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    }

    class RingOutput : public RecordOutput
    {
    public:
        RingOutput(RecordRing &ring, Recording &recording)
            : m_ring(ring)
            , m_recording(recording)
        {
        }
        using RecordOutput::put;
        void put(RecordKind kind, std::uint32_t threadId,
                 std::span<const std::byte> payload) noexcept override
        {
            m_ring.push(kind, threadId, payload);
            if (m_ring.hasFilledUp())
                m_recording.wake();
        }

    private:
        RecordRing &m_ring;
        Recording &m_recording;
    };

    /// What a handle points to, in its lowest bits; the number of the event is above them.
    enum class Kind : std::uint64_t {
        None,
        Context,
        Operation,
        NetworkOp,
        NetworkStep,
        KernelChannel,
        HostCall,
        Group, ///< not recorded, but NCCL tells of nothing inside of a group without a handle
    };
    constexpr unsigned KindBits = 3;

    void *handleOf(Kind kind, std::optional<std::uint64_t> number) noexcept
    {
        return number
            ? reinterpret_cast<void *>(*number << KindBits | static_cast<std::uint64_t>(kind))
            : nullptr;
    }

    Kind kindOf(const void *handle) noexcept
    {
        return static_cast<Kind>(reinterpret_cast<std::uintptr_t>(handle) & ((1U << KindBits) - 1));
    }

    /// 0, which no event has, if the handle is of another kind.
    std::uint64_t numberOf(const void *handle, Kind kind) noexcept
    {
        return kindOf(handle) == kind ? reinterpret_cast<std::uintptr_t>(handle) >> KindBits : 0;
    }

} // namespace

EventRecorder::EventRecorder(int mask)
    : m_wantedMask(mask)
    , m_mask(mask)
    , m_recording([this](RecordOutput &output, bool isLast) { turn(output, isLast); })
    , m_contexts(m_recording)
    , m_operations(m_recording, m_contexts, (mask & abi::KernelCh) != 0)
    , m_network(m_recording, m_contexts, m_operations)
    , m_kernels(MostKernelChannels)
    , m_calls(MostHostCalls)
{
}

bool EventRecorder::start()
{
    const bool isStarted = m_recording.start();
    m_isOn.store(isStarted, std::memory_order_relaxed);
    return isStarted;
}

void EventRecorder::pause()
{
    m_isOn.store(false, std::memory_order_relaxed);
    m_recording.pause();
}

void EventRecorder::end()
{
    m_isOn.store(false, std::memory_order_relaxed);
    m_recording.end();
}

void *EventRecorder::addContext(const Contexts::Context &context) noexcept
{
    const auto number = m_contexts.add(context);
    if (!number)
        m_recording.countDropped();
    return handleOf(Kind::Context, number);
}

void EventRecorder::finishContext(void *context) noexcept
{
    m_contexts.finish(numberOf(context, Kind::Context));
}

void *EventRecorder::startEvent(void *context, const ProfilerEvent &event) noexcept
{
    const std::uint64_t contextNumber = numberOf(context, Kind::Context);
    if (contextNumber == 0 || !m_isOn.load(std::memory_order_relaxed))
        return nullptr;
    const bool isChild = (event.type & ChildEventTypes) != 0;
    if (!isChild && !isAdmitted()) {
        m_operations.pass(contextNumber, event);
        return nullptr;
    }
    if (isChild && event.parent == nullptr && m_wasClosed.load(std::memory_order_relaxed))
        return nullptr; // of an operation that began outside of the window
    const std::int64_t nowNs = eventTimeNs();
    ThreadRing *thread = m_recording.rings().own();
    if (thread == nullptr) {
        m_recording.countDropped();
        m_operations.pass(contextNumber, event);
        return nullptr;
    }
    RingOutput output(thread->ring, m_recording);
    const std::uint32_t threadId = thread->threadId;
    if (isChild)
        return startChild(output, threadId, contextNumber, event, nowNs);
    switch (event.type) {
    case abi::Coll:
    case abi::P2p:
    case abi::CeColl:
        return handleOf(Kind::Operation,
                        m_operations.start(output, threadId, contextNumber, event, nowNs));
    case abi::GroupApi:
    case abi::CollApi:
    case abi::P2pApi:
    case abi::KernelLaunch:
        return handleOf(Kind::HostCall, startHostCall(threadId, event, nowNs));
    case abi::Group:
        return handleOf(Kind::Group, 1);
    default:
        return nullptr;
    }
}

/// What belongs to an operation is recorded if that is.
void *EventRecorder::startChild(RecordOutput &output, std::uint32_t threadId, std::uint64_t context,
                                const ProfilerEvent &event, std::int64_t nowNs) noexcept
{
    if (event.type == abi::ProxyStep)
        return handleOf(Kind::NetworkStep,
                        m_network.startStep(output, threadId,
                                            numberOf(event.parent, Kind::NetworkOp), event.step,
                                            nowNs));
    if (event.type == abi::ProxyOp)
        return handleOf(Kind::NetworkOp,
                        m_network.startOp(output, threadId, context,
                                          numberOf(event.parent, Kind::Operation), event, nowNs));
    if (event.type == abi::KernelCh)
        return handleOf(Kind::KernelChannel, startKernelChannel(output, threadId, event, nowNs));
    return nullptr;
}

void EventRecorder::stopEvent(void *handle) noexcept
{
    const Kind kind = kindOf(handle);
    if (kind == Kind::None || kind == Kind::Group || !m_isOn.load(std::memory_order_relaxed))
        return;
    const std::int64_t nowNs = eventTimeNs();
    ThreadRing *thread = m_recording.rings().own();
    if (thread == nullptr)
        return m_recording.countDropped();
    RingOutput output(thread->ring, m_recording);
    const std::uint64_t number = numberOf(handle, kind);
    if (kind == Kind::NetworkStep)
        m_network.stopStep(output, number, nowNs);
    else if (kind == Kind::NetworkOp)
        m_network.stopOp(output, number, nowNs);
    else if (kind == Kind::KernelChannel)
        stopKernelChannel(output, number, nowNs);
    else if (kind == Kind::Operation)
        m_operations.stop(output, number, nowNs);
    else if (kind == Kind::HostCall)
        stopHostCall(output, number, nowNs);
}

void EventRecorder::setState(void *handle, int state, const abi::StateArguments *arguments,
                             bool hasStepSizes) noexcept
{
    if (!m_isOn.load(std::memory_order_relaxed))
        return;
    const Kind kind = kindOf(handle);
    const std::uint64_t number = numberOf(handle, kind);
    if (kind == Kind::NetworkStep) {
        m_network.setStepState(number, state, hasStepSizes ? arguments : nullptr, eventTimeNs());
    } else if (kind == Kind::NetworkOp) {
        m_network.setOpState(number, state, arguments, eventTimeNs());
    } else if (kind == Kind::KernelChannel && state == abi::KernelChStop && arguments != nullptr) {
        if (const auto channel = m_kernels.open(number))
            channel->gpuEnd = arguments->gpuTimeNs;
    }
}

std::optional<std::uint64_t> EventRecorder::startKernelChannel(RecordOutput &output,
                                                               std::uint32_t threadId,
                                                               const ProfilerEvent &event,
                                                               std::int64_t nowNs) noexcept
{
    const auto operation = m_operations.beginChild(numberOf(event.parent, Kind::Operation));
    if (!operation) {
        m_recording.countDropped();
        return std::nullopt;
    }
    auto slot = m_kernels.create();
    if (!slot) {
        m_operations.endChild(output, operation->number, {});
        return std::nullopt;
    }
    const std::uint64_t number = slot.number();
    const std::uint64_t lost = slot.wasOpen() ? slot->operation.number : 0;
    *slot = { *operation, nowNs, event.gpuTimeNs, 0, threadId, event.channel };
    slot.release();
    if (lost != 0) {
        m_recording.countDropped();
        m_operations.endChild(output, lost, {});
    }
    return number;
}

void EventRecorder::stopKernelChannel(RecordOutput &output, std::uint64_t number,
                                      std::int64_t nowNs) noexcept
{
    auto slot = m_kernels.open(number);
    if (!slot)
        return;
    const KernelChannel channel = *slot;
    slot.close();
    output.put(RecordKernelChannel, channel.threadId,
               KernelChannelRecord { channel.operation.key, channel.start, nowNs, channel.gpuStart,
                                     channel.gpuEnd, channel.channel, channel.operation.device });
    m_operations.endChild(output, channel.operation.number, { true, channel.start, 0, nowNs });
}

std::uint32_t EventRecorder::nameOfCall(const ProfilerEvent &event) noexcept
{
    if (event.type == abi::GroupApi)
        return m_recording.texts().idOf("NCCL group");
    if (event.type == abi::KernelLaunch)
        return m_recording.texts().idOf("NCCL kernel launch");
    std::array<char, 64> name { "nccl" };
    if (event.function != nullptr)
        std::strncat(name.data(), event.function, name.size() - 5);
    return m_recording.texts().idOf(name.data());
}

std::optional<std::uint64_t> EventRecorder::startHostCall(std::uint32_t threadId,
                                                          const ProfilerEvent &event,
                                                          std::int64_t nowNs) noexcept
{
    const auto slot = m_calls.create();
    if (!slot)
        return std::nullopt;
    if (slot.wasOpen())
        m_recording.countDropped();
    *slot = { nowNs, threadId, nameOfCall(event) };
    return slot.number();
}

void EventRecorder::stopHostCall(RecordOutput &output, std::uint64_t number,
                                 std::int64_t nowNs) noexcept
{
    auto slot = m_calls.open(number);
    if (!slot)
        return;
    const HostCall call = *slot;
    slot.close();
    output.put(RecordApiCall, call.threadId,
               ApiCallRecord { call.start, nowNs, 0, call.name, 0, 0, 0 });
}

/// Whether an operation that begins now is recorded. The first one of a window has NCCL asked for
/// everything again, before anything belongs to it.
bool EventRecorder::isAdmitted() noexcept
{
    if (!m_window.isOpen()) {
        m_wasClosed.store(true, std::memory_order_relaxed);
        return false;
    }
    if (m_mask.load(std::memory_order_relaxed) != m_wantedMask)
        ask(m_wantedMask);
    return true;
}

void EventRecorder::ask(int mask) noexcept
{
    m_mask.store(mask, std::memory_order_relaxed);
    if (m_onMask)
        m_onMask(mask);
}

/// In the writing thread.
void EventRecorder::followWindow() noexcept
{
    if (m_window.isOpen()) {
        m_closedTurns = 0;
        return;
    }
    m_wasClosed.store(true, std::memory_order_relaxed);
    const int least = m_wantedMask & OperationEventTypes;
    if (m_closedTurns < TurnsOfGrace)
        ++m_closedTurns;
    else if (mask() != least)
        ask(least);
}

void EventRecorder::turn(RecordOutput &output, bool isLast) noexcept
{
    if (m_recording.hasFailed())
        return;
    followWindow();
    const bool isSweep = isLast || ++m_turns % TurnsOfSweep == 0;
    if (isSweep) {
        const std::int64_t quietNowNs = quietClockNs();
        m_network.sweep(output, quietNowNs, isLast); // its operations' last children
        m_operations.sweep(output, quietNowNs, isLast);
    }
    if (m_contexts.write(output, isSweep)) {
        m_network.forgetContexts();
        m_operations.forgetContexts();
    }
    m_recording.countDropped(m_operations.takeGivenUp() + m_network.takeGivenUp()
                             + m_kernels.takeGivenUp() + m_calls.takeGivenUp());
}

} // namespace collectors
