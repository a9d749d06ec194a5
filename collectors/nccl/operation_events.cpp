#include "collectors/nccl/operation_events.h"

#include "collectors/nccl/quiet_clock.h"

#include <algorithm>

namespace collectors {

namespace {

    constexpr std::int64_t Millisecond = 1'000'000;
    // For operations that never become complete. A proxy starts all network operations of a
    // collective together, so a pause is its end.
    constexpr std::int64_t QuietAfterChildren = 250 * Millisecond;
    constexpr std::int64_t QuietWithOpenChildren = 2000 * Millisecond; ///< whose kernel has ended
    constexpr std::int64_t QuietWithoutChildren = 2000 * Millisecond;
    /// Whose kernels NCCL should tell of. They may wait in their stream for long; but of some
    /// (symmetric memory, copy engines) nothing comes, and a killed process would lose all of them.
    constexpr std::int64_t QuietOfLostKernels = 60'000 * Millisecond;

    /// The earlier of two times, of which 0 is none.
    std::int64_t earlier(std::int64_t a, std::int64_t b)
    {
        return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
    }

} // namespace

OperationEvents::OperationEvents(Recording &recording, Contexts &contexts, bool hasKernelChannels)
    : m_recording(recording)
    , m_contexts(contexts)
    , m_hasKernelChannels(hasKernelChannels)
    , m_pool(MostOperations)
{
}

/// False if the operation could not be told from another one. Of the communicator it asks nothing
/// that another thread may hold: one send that is not counted would shift the numbers of all later.
bool OperationEvents::identify(Operation &operation, std::uint64_t context,
                               const ProfilerEvent &event) noexcept
{
    operation.isPointToPoint = event.type == abi::P2p;
    operation.key.rank = static_cast<std::uint32_t>(event.rank);
    if (!operation.isPointToPoint) {
        operation.key.sequence = event.sequence;
        operation.key.function = m_recording.texts().idOf(event.function);
        return operation.key.function != 0;
    }
    operation.isSend = event.function != nullptr && *event.function == 'S';
    operation.peer = static_cast<std::uint32_t>(event.peer);
    if (!m_contexts.isOpen(context))
        return false;
    const auto number = m_numbers.next(
        { context, operation.key.rank, operation.peer, operation.isSend ? 1U : 0U });
    operation.key.sequence = number.value_or(0);
    return number.has_value();
}

std::optional<std::uint64_t> OperationEvents::start(RecordOutput &output, std::uint32_t threadId,
                                                    std::uint64_t context,
                                                    const ProfilerEvent &event,
                                                    std::int64_t nowNs) noexcept
{
    Operation operation {};
    const bool isIdentified = identify(operation, context, event);
    const auto known = m_contexts.contextOf(context, event);
    if (!known || !isIdentified) {
        m_recording.countDropped();
        return std::nullopt;
    }
    operation.key.communicator = known->communicator;
    operation.context = context;
    operation.start = nowNs;
    operation.lastChange = quietClockNs();
    operation.threadId = threadId;
    operation.device = known->device;
    operation.count = event.count;
    operation.bytes = bytesOfElements(event.datatype, event.count);
    operation.datatype = m_recording.texts().idOf(event.datatype);
    operation.algorithm = m_recording.texts().idOf(event.algorithm);
    operation.protocol = m_recording.texts().idOf(event.protocol);
    operation.root = static_cast<std::uint32_t>(event.root);
    operation.channels = event.channelCount;
    operation.expectedKernels = m_hasKernelChannels ? event.kernelChannelCount : 0;
    auto slot = m_pool.create();
    if (!slot)
        return std::nullopt;
    const std::uint64_t number = slot.number();
    const bool wasOpen = slot.wasOpen();
    const Operation oldest = *slot;
    *slot = operation;
    slot.release();
    if (wasOpen)
        write(output, oldest);
    return number;
}

void OperationEvents::pass(std::uint64_t context, const ProfilerEvent &event) noexcept
{
    Operation passed {};
    if (event.type == abi::P2p)
        identify(passed, context, event);
}

void OperationEvents::stop(RecordOutput &output, std::uint64_t number, std::int64_t nowNs) noexcept
{
    auto slot = m_pool.open(number);
    if (!slot || slot->end != 0)
        return;
    slot->end = nowNs;
    slot->lastChange = quietClockNs();
    if (isComplete(*slot))
        closeAndWrite(output, slot);
}

std::optional<OperationEvents::Parent> OperationEvents::beginChild(std::uint64_t number) noexcept
{
    const auto slot = m_pool.find(number);
    if (!slot)
        return std::nullopt;
    slot->hadChildren = true;
    ++slot->openChildren;
    slot->lastChange = quietClockNs();
    return Parent { slot->key, number, slot->device };
}

void OperationEvents::endChild(RecordOutput &output, std::uint64_t number,
                               const Child &child) noexcept
{
    auto slot = m_pool.open(number);
    if (!slot)
        return;
    slot->openChildren -= slot->openChildren > 0 ? 1 : 0;
    slot->endedKernels += child.isKernel ? 1 : 0;
    slot->kernelStart = earlier(slot->kernelStart, child.kernelStart);
    slot->dataStart = earlier(slot->dataStart, child.dataStart);
    slot->deviceEnd = std::max(slot->deviceEnd, child.end);
    slot->lastChange = quietClockNs();
    if (isComplete(*slot))
        closeAndWrite(output, slot);
}

/// In this order: the disk may be slow, and threads of the job wait for a slot that is taken.
void OperationEvents::closeAndWrite(RecordOutput &output, SlotPool<Operation>::Guard &slot) noexcept
{
    const Operation operation = *slot;
    slot.close();
    write(output, operation);
}

bool OperationEvents::isComplete(const Operation &operation) const noexcept
{
    return operation.end != 0 && operation.openChildren == 0 && operation.expectedKernels != 0
        && operation.endedKernels >= operation.expectedKernels;
}

/// Whether nothing more is to be expected of an operation that is not complete.
bool OperationEvents::isOver(const Operation &operation, std::int64_t quietNowNs) noexcept
{
    if (m_contexts.isFinished(operation.context))
        return true;
    const std::int64_t quiet = quietNowNs - operation.lastChange;
    if (operation.end == 0)
        return false;
    if (operation.endedKernels < operation.expectedKernels)
        return operation.openChildren == 0 && quiet > QuietOfLostKernels;
    if (!operation.hadChildren)
        return quiet > QuietWithoutChildren;
    return quiet > (operation.openChildren == 0 ? QuietAfterChildren : QuietWithOpenChildren)
        && (operation.openChildren == 0 || operation.expectedKernels != 0);
}

void OperationEvents::write(RecordOutput &output, const Operation &operation) noexcept
{
    // Without kernel channels: where data was first seen to move. A network operation itself
    // begins when it is enqueued, long before its kernel.
    const std::int64_t begin
        = operation.kernelStart != 0 ? operation.kernelStart : operation.dataStart;
    const bool isKnown = begin != 0 && operation.deviceEnd >= begin;
    const std::uint32_t flags = isKnown ? TimeOnDeviceKnown : 0;
    const std::int64_t deviceStart = isKnown ? begin : 0;
    const std::int64_t deviceEnd = isKnown ? operation.deviceEnd : 0;
    const std::int64_t end = std::max(operation.start, operation.end);
    const OperationKey &key = operation.key;
    if (operation.isPointToPoint)
        output.put(RecordPointToPoint, operation.threadId,
                   PointToPointRecord {
                       operation.start, end, deviceStart, deviceEnd, key.communicator, key.sequence,
                       operation.count, operation.bytes, 0, operation.isSend ? 1U : 0U,
                       operation.datatype, key.rank, operation.peer, operation.channels, flags });
    else
        output.put(RecordCollective, operation.threadId,
                   CollectiveRecord { operation.start, end, deviceStart, deviceEnd,
                                      key.communicator, key.sequence, operation.count,
                                      operation.bytes, 0, key.function, operation.datatype,
                                      operation.algorithm, operation.protocol, key.rank,
                                      operation.root, operation.channels, flags });
}

void OperationEvents::forgetContexts() noexcept
{
    m_numbers.forget([this](std::uint64_t context) { return !m_contexts.isOpen(context); });
}

void OperationEvents::sweep(RecordOutput &output, std::int64_t quietNowNs, bool isLast) noexcept
{
    m_firstOpen = std::max(m_firstOpen, m_pool.oldest());
    bool isFirst = true;
    for (std::uint64_t number = m_firstOpen; number < m_pool.next(); ++number) {
        if (m_pool.isOpen(number)) {
            auto slot = m_pool.open(number);
            if (slot && (isLast || isOver(*slot, quietNowNs)))
                closeAndWrite(output, slot);
        }
        isFirst = isFirst && m_pool.isPast(number);
        if (isFirst)
            m_firstOpen = number + 1;
    }
}

} // namespace collectors
