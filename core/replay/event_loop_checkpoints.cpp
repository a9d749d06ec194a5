#include "core/replay/event_loop.h"
#include "core/replay/latest_time.h"

#include <algorithm>

namespace core {

void EventLoop::recordCheckpoints(std::vector<Checkpoint> &checkpoints, std::size_t count)
{
    m_checkpoints = &checkpoints;
    m_opsPerCheckpoint = std::max<std::size_t>(1, m_graph.size() / std::max<std::size_t>(1, count));
    m_nextCheckpoint = m_opsPerCheckpoint;
}

void EventLoop::recordCheckpoint()
{
    m_nextCheckpoint = m_done + m_opsPerCheckpoint;
    Checkpoint checkpoint;
    checkpoint.timeNs = m_nowNs;
    for (std::uint32_t index = 0; index < m_devices.size(); ++index) {
        const DeviceState &device = m_devices[index];
        if (!device.served)
            continue;
        checkpoint.shared.push_back({ index, *device.served });
        if (!device.served->preempts())
            continue;
        for (const WaitingOp &waiting : device.waiting.all())
            if (m_remainingNs[waiting.op] < static_cast<double>(m_graph.durationNs[waiting.op]))
                checkpoint.setBack.push_back({ waiting.op, m_remainingNs[waiting.op] });
    }
    m_checkpoints->push_back(std::move(checkpoint));
}

void EventLoop::resumeFrom(const Checkpoint &checkpoint, ReplayResult before)
{
    m_result = std::move(before);
    m_nowNs = checkpoint.timeNs;
    for (const Checkpoint::SetBackOp &setBack : checkpoint.setBack)
        m_remainingNs[setBack.op] = setBack.remainingNs;
    std::vector<std::uint32_t> served;
    for (const Checkpoint::SharedDevice &shared : checkpoint.shared) {
        m_devices[shared.device].served = shared.served;
        for (const ServedOp &op : shared.served.all())
            served.push_back(op.key.op);
        if (shared.served.nextEndNs() != ServedOps::Never)
            m_events.push(shared.served.nextEndNs(), { shared.device, What::Device });
        if (m_devices[shared.device].mayInterfere)
            recountSlowed(shared.device); // speeds are those that were noted
    }
    std::sort(served.begin(), served.end());
    for (std::uint32_t i = 0; i < m_graph.size(); ++i) {
        if (m_result.endNs[i] <= m_nowNs)
            ++m_done;
        else if (countMissing(i) == 0)
            resumeReleased(i, std::binary_search(served.begin(), served.end(), i));
    }
}

std::uint32_t EventLoop::countMissing(std::uint32_t op)
{
    OpState &state = m_ops[op];
    state.missing = 0;
    for (const Edge &edge : m_graph.predecessors(OpId(op))) {
        const std::int64_t endNs = m_result.endNs[edge.op.value];
        if (endNs > m_nowNs)
            ++state.missing;
        else if (endNs >= state.readyNs) { // predecessors are in order of id
            state.readyNs = endNs;
            state.lastPred = edge.op;
        }
    }
    return state.missing;
}

/// An op whose predecessors have ended, but it has not: is it to become ready, waiting or served?
void EventLoop::resumeReleased(std::uint32_t op, bool isServed)
{
    m_ops[op].readyNs = laterNs(m_ops[op].readyNs, m_graph.delayNs[op]);
    if (m_ops[op].readyNs > m_nowNs) {
        m_events.push(m_ops[op].readyNs, { op, What::Ready });
        return;
    }
    const bool isVirtual = m_graph.kind[op] == OpKind::Virtual;
    DeviceState &device = m_devices[m_graph.device[op].value];
    const bool isShared = !isVirtual && device.served.has_value();
    if (isShared ? isServed : m_result.startNs[op] <= m_nowNs) {
        device.isBusy = device.isBusy || !isVirtual;
        if (!isShared)
            m_events.push(m_result.endNs[op], { op, What::Ended });
        return;
    }
    device.waiting.push(waitingOp(op));
}

} // namespace core
