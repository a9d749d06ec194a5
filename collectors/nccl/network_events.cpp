#include "collectors/nccl/network_events.h"

#include "collectors/nccl/quiet_clock.h"

#include <unistd.h>

#include <algorithm>

namespace collectors {

namespace {

    constexpr std::int64_t QuietOfLostOp = 1'000'000'000;

    /// Where the time of a state goes; absent for a state that such a step does not have.
    std::optional<std::size_t> placeOf(int state, bool isSend)
    {
        switch (state) {
        case abi::SendGpuWait:
            return isSend ? std::optional<std::size_t>(0) : std::nullopt;
        case abi::SendPeerWait:
            return isSend ? std::optional<std::size_t>(1) : std::nullopt;
        case abi::SendWait:
            return isSend ? std::optional<std::size_t>(2) : std::nullopt;
        case abi::RecvWait:
            return isSend ? std::nullopt : std::optional<std::size_t>(0);
        case abi::RecvFlushWait:
            return isSend ? std::nullopt : std::optional<std::size_t>(1);
        case abi::RecvGpuWait:
            return isSend ? std::nullopt : std::optional<std::size_t>(2);
        default:
            return std::nullopt;
        }
    }

} // namespace

NetworkEvents::NetworkEvents(Recording &recording, Contexts &contexts, OperationEvents &operations)
    : m_recording(recording)
    , m_contexts(contexts)
    , m_operations(operations)
    , m_ops(MostOps)
    , m_steps(MostSteps)
    , m_processId(getpid())
{
}

/// False if nothing is known of what it belongs to.
bool NetworkEvents::identify(Op &op, std::uint64_t context, std::uint64_t parent,
                             const ProfilerEvent &event) noexcept
{
    if (event.processId == m_processId) {
        const auto operation = m_operations.beginChild(parent);
        if (operation) {
            op.key = operation->key;
            op.operation = operation->number;
        }
        return operation.has_value();
    }
    // This proxy works for a rank of another process (PXN), where the parent lies.
    const auto known = m_contexts.contextOf(context, event);
    op.key.communicator = known ? known->communicator : 0;
    op.key.rank = static_cast<std::uint32_t>(event.rank);
    op.key.function = m_recording.texts().idOf("PXN");
    const auto number
        = m_numbers.next({ context, op.key.rank, static_cast<std::uint32_t>(event.peer),
                           event.channel * 2 + (event.isSend ? 1U : 0U) });
    op.key.sequence = number.value_or(0);
    return number.has_value() && op.key.function != 0;
}

std::optional<std::uint64_t> NetworkEvents::startOp(RecordOutput &output, std::uint32_t threadId,
                                                    std::uint64_t context, std::uint64_t parent,
                                                    const ProfilerEvent &event,
                                                    std::int64_t nowNs) noexcept
{
    Op op {};
    if (!identify(op, context, parent, event)) {
        m_recording.countDropped();
        return std::nullopt;
    }
    op.start = nowNs;
    op.lastChange = quietClockNs();
    op.threadId = threadId;
    op.channel = event.channel;
    op.peer = static_cast<std::uint32_t>(event.peer);
    op.steps = event.stepCount;
    op.isSend = event.isSend;
    auto slot = m_ops.create();
    if (!slot) {
        m_operations.endChild(output, op.operation, {});
        return std::nullopt;
    }
    const std::uint64_t number = slot.number();
    const bool isLost = slot.wasOpen(); // the oldest one, which was never stopped
    const std::uint64_t itsOperation = slot->operation;
    *slot = op;
    slot.release();
    if (isLost) {
        m_recording.countDropped();
        m_operations.endChild(output, itsOperation, {});
    }
    return number;
}

void NetworkEvents::setOpState(std::uint64_t number, int state,
                               const abi::StateArguments *arguments, std::int64_t nowNs) noexcept
{
    constexpr int FirstSizeState = 0, LastSizeState = 7; // of versions 1 to 3: the bytes so far
    const auto slot = m_ops.open(number);
    if (!slot)
        return;
    if (state == abi::OpInProgress && slot->progress == 0)
        slot->progress = nowNs;
    else if (state >= FirstSizeState && state <= LastSizeState && arguments != nullptr)
        slot->bytes = std::max<std::uint64_t>(slot->bytes, arguments->transferBytes);
}

void NetworkEvents::stopOp(RecordOutput &output, std::uint64_t number, std::int64_t nowNs) noexcept
{
    if (auto slot = m_ops.open(number))
        closeOp(output, slot, nowNs);
}

/// `endNs` 0: NCCL did not say. Writes after the slot is free: others may want it.
void NetworkEvents::closeOp(RecordOutput &output, SlotPool<Op>::Guard &slot,
                            std::int64_t endNs) noexcept
{
    Op op = *slot;
    slot.close();
    for (const OpenStep &open : op.open)
        endLostStep(output, op, open.number);
    output.put(RecordProxyOp, op.threadId,
               ProxyOpRecord { op.key, op.start, op.progress, endNs, op.bytes, op.channel, op.peer,
                               op.steps, op.isSend ? 1U : 0U });
    if (op.operation != 0)
        m_operations.endChild(output, op.operation, { false, 0, op.dataStart, endNs });
}

std::optional<std::uint64_t> NetworkEvents::startStep(RecordOutput &output, std::uint32_t threadId,
                                                      std::uint64_t parent, std::uint32_t step,
                                                      std::int64_t nowNs) noexcept
{
    const auto op = m_ops.open(parent);
    if (!op) {
        m_recording.countDropped();
        return std::nullopt;
    }
    OpenStep &open = op->open[step % MostOpenSteps];
    if (open.number != 0 && open.step == step && m_steps.isOpen(open.number))
        return open.number; // NET/Socket starts a receive again until it is accepted
    endLostStep(output, *op, open.number);
    open.number = 0;
    const auto slot = m_steps.create();
    if (!slot)
        return std::nullopt;
    if (slot.wasOpen())
        m_recording.countDropped();
    *slot = { op->key, parent, nowNs, {}, 0, threadId, op->channel, op->peer, step, op->isSend };
    open = { slot.number(), step };
    op->lastChange = quietClockNs();
    return open.number;
}

void NetworkEvents::setStepState(std::uint64_t number, int state,
                                 const abi::StateArguments *arguments, std::int64_t nowNs) noexcept
{
    const auto slot = m_steps.open(number);
    if (!slot)
        return;
    const auto place = placeOf(state, slot->isSend);
    if (!place)
        return;
    if (slot->states[*place] == 0)
        slot->states[*place] = nowNs;
    // At the other states the size is that of another step in flight.
    if ((state == abi::SendWait || state == abi::RecvFlushWait) && arguments != nullptr)
        slot->bytes = arguments->transferBytes;
}

void NetworkEvents::stopStep(RecordOutput &output, std::uint64_t number,
                             std::int64_t nowNs) noexcept
{
    auto slot = m_steps.open(number);
    if (!slot)
        return;
    const Step step = *slot;
    slot.close();
    writeStep(output, step, nowNs);
    const auto op = m_ops.open(step.op);
    if (!op)
        return;
    addToOp(*op, step);
    op->lastChange = quietClockNs();
    OpenStep &open = op->open[step.step % MostOpenSteps];
    if (open.number == number)
        open.number = 0;
}

/// Before NCCL 2.27 only the first of several finished receives was stopped: such a step ends with
/// its last state. One without any state moved nothing.
void NetworkEvents::endLostStep(RecordOutput &output, Op &op, std::uint64_t number) noexcept
{
    if (number == 0)
        return;
    auto slot = m_steps.open(number);
    if (!slot)
        return;
    const Step step = *slot;
    slot.close();
    const std::int64_t end = *std::max_element(step.states.begin(), step.states.end());
    if (end == 0)
        return;
    writeStep(output, step, end);
    addToOp(op, step);
}

void NetworkEvents::addToOp(Op &op, const Step &step) noexcept
{
    // What was sent is ready before it goes; what was received is there at the flush.
    const std::int64_t data = step.isSend && step.states[1] == 0 ? step.states[2] : step.states[1];
    if (data != 0)
        op.dataStart = op.dataStart == 0 ? data : std::min(op.dataStart, data);
    op.bytes += step.bytes;
}

void NetworkEvents::writeStep(RecordOutput &output, const Step &step, std::int64_t endNs) noexcept
{
    // A step that took more than 4.29 s loses its beginning: the end of the data is what counts.
    const std::int64_t begin = std::max(step.start, endNs - static_cast<std::int64_t>(UINT32_MAX));
    ProxyStepRecord record {
        step.key, begin, step.bytes, step.channel, step.peer, step.step, step.isSend ? 1U : 0U,
        {},       0,
    };
    std::int64_t latest = 0; // the clock may be set back meanwhile
    for (std::size_t i = 0; i < step.states.size(); ++i) {
        if (step.states[i] == 0)
            continue;
        latest = std::clamp<std::int64_t>(step.states[i] - begin, std::max<std::int64_t>(latest, 1),
                                          UINT32_MAX);
        record.stateNs[i] = static_cast<std::uint32_t>(latest);
    }
    record.endNs
        = static_cast<std::uint32_t>(std::clamp<std::int64_t>(endNs - begin, latest, UINT32_MAX));
    output.put(RecordProxyStep, step.threadId, record);
}

void NetworkEvents::forgetContexts() noexcept
{
    m_numbers.forget([this](std::uint64_t context) { return !m_contexts.isOpen(context); });
}

void NetworkEvents::sweep(RecordOutput &output, std::int64_t quietNowNs, bool isLast) noexcept
{
    for (std::uint64_t number = m_ops.oldest(); number < m_ops.next(); ++number) {
        if (!m_ops.isOpen(number))
            continue;
        auto slot = m_ops.open(number);
        if (!slot)
            continue;
        const bool isLost = slot->operation != 0 && !m_operations.isOpen(slot->operation)
            && quietNowNs - slot->lastChange > QuietOfLostOp;
        if (isLast || isLost)
            closeOp(output, slot, 0);
    }
}

} // namespace collectors
