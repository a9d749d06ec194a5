#include "core/replay/event_loop.h"

#include "core/base/error.h"

#include <algorithm>

namespace core {

Successors::Successors(const Graph &graph)
{
    const std::size_t n = graph.size();
    offset.assign(n + 1, 0);
    for (const Edge &edge : graph.preds)
        ++offset[edge.op.value + 1];
    for (std::size_t i = 0; i < n; ++i)
        offset[i + 1] += offset[i];
    ops.resize(graph.preds.size());
    std::vector<std::uint32_t> next(offset.begin(), offset.end() - 1);
    for (std::uint32_t i = 0; i < n; ++i)
        for (const Edge &edge : graph.predecessors(OpId(i)))
            ops[next[edge.op.value]++] = i;
}

EventLoop::EventLoop(const Graph &graph, const JobControl &control)
    : m_graph(graph)
    , m_control(control)
    , m_successors(graph)
    , m_missing(graph.size())
    , m_readyNs(graph.size(), 0)
    , m_devices(graph.devices.begin(), graph.devices.end())
    , m_lastEnded(graph.devices.size(), NoOp)
    , m_isTouched(graph.devices.size(), 0)
{
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        m_missing[i] = graph.predOffset[i + 1] - graph.predOffset[i];
    if (std::any_of(m_devices.begin(), m_devices.end(),
                    [](const ServedDevice &device) { return device.preempts(); }))
        m_remainingNs.assign(graph.durationNs.begin(), graph.durationNs.end());
    m_result.startNs.assign(graph.size(), 0);
    m_result.endNs.assign(graph.size(), 0);
    m_result.cause.assign(graph.size(), {});
}

ReplayResult EventLoop::run()
{
    releaseSources();
    std::size_t handled = 0;
    while (!m_events.empty()) {
        m_nowNs = m_events.top().timeNs;
        while (!m_events.empty() && m_events.top().timeNs == m_nowNs) {
            if ((++handled & 0xFFFF) == 0)
                throwIfCancelled(m_control);
            const Event event = m_events.top();
            m_events.pop();
            handle(event);
        }
        lookAtTouched();
    }
    checkAllDone();
    return std::move(m_result);
}

void EventLoop::releaseSources()
{
    for (std::uint32_t i = 0; i < m_graph.size(); ++i)
        if (m_missing[i] == 0)
            m_events.push({ m_readyNs[i] = m_graph.delayNs[i], i, What::Ready });
}

void EventLoop::handle(const Event &event)
{
    switch (event.what) {
    case What::Ready:
        becomeReady(event.index);
        break;
    case What::Ended:
        m_finished.push_back(event.index);
        break;
    case What::Device:
        endOn(event.index);
        break;
    }
    // A chain of virtual ops may be long: it is followed here, not by recursion.
    while (!m_finished.empty()) {
        const std::uint32_t op = m_finished.back();
        m_finished.pop_back();
        finish(op);
    }
}

/// A virtual op is served at once, any other one waits for its device.
void EventLoop::becomeReady(std::uint32_t op)
{
    if (m_graph.kind[op] == OpKind::Virtual) {
        m_result.startNs[op] = m_nowNs;
        if (m_graph.durationNs[op] == 0)
            m_finished.push_back(op);
        else
            m_events.push({ m_nowNs + m_graph.durationNs[op], op, What::Ended });
        return;
    }
    const std::uint32_t index = m_graph.device[op].value;
    ServedDevice &device = m_devices[index];
    device.wait({ device.looksAtPriority() ? m_graph.priorityOf(OpId(op)) : 0, op, m_readyNs[op] });
    if (!m_isTouched[index]) {
        m_isTouched[index] = 1;
        m_touched.push_back(index);
    }
}

void EventLoop::endOn(std::uint32_t index)
{
    ServedDevice &device = m_devices[index];
    if (device.nextEndNs() != m_nowNs)
        return; // what was to end now was delayed or set back
    device.advance(m_nowNs);
    device.takeEnded(m_finished);
    if (!m_finished.empty())
        m_lastEnded[index] = OpId(m_finished.back());
    if (!m_isTouched[index]) {
        m_isTouched[index] = 1;
        m_touched.push_back(index);
    }
}

void EventLoop::finish(std::uint32_t op)
{
    m_result.endNs[op] = m_nowNs;
    ++m_done;
    for (const std::uint32_t next : m_successors.of(op)) {
        // Of those that end last together the one with the largest id is named, whatever the order
        // in which their devices were looked at.
        StartCause &cause = m_result.cause[next];
        if (m_nowNs > m_readyNs[next] || cause.op == NoOp || op > cause.op.value)
            cause = { OpId(op), false };
        m_readyNs[next] = m_nowNs;
        if (--m_missing[next] == 0)
            release(next);
    }
}

void EventLoop::release(std::uint32_t op)
{
    m_readyNs[op] += m_graph.delayNs[op];
    if (m_graph.delayNs[op] == 0)
        becomeReady(op);
    else
        m_events.push({ m_readyNs[op], op, What::Ready });
}

void EventLoop::lookAtTouched()
{
    for (const std::uint32_t index : m_touched) {
        m_isTouched[index] = 0;
        serve(index);
    }
    m_touched.clear();
}

/// Starts what can start, and notes when to look again.
void EventLoop::serve(std::uint32_t index)
{
    ServedDevice &device = m_devices[index];
    while (device.hasWaiting() && makeRoom(device))
        start(device, index);
    if (device.nextEndNs() == ServedDevice::Never)
        reschedule(index);
    if (m_graph.interferingLink == DeviceId(index))
        setInterference(!device.served().empty());
}

/// For the next op that waits, setting less urgent ones back if the device preempts.
bool EventLoop::makeRoom(ServedDevice &device)
{
    const WaitingOp next = device.nextWaiting();
    const std::uint64_t bytes = m_graph.bytesOf(OpId(next.op));
    while (!device.hasRoomFor(bytes)) {
        if (!device.preempts())
            return false;
        ServedOp wasServed;
        device.advance(m_nowNs);
        if (!device.setBack(next, wasServed))
            return false;
        m_remainingNs[wasServed.key.op] = wasServed.remainingNs;
        device.wait(wasServed.key);
    }
    return true;
}

void EventLoop::start(ServedDevice &device, std::uint32_t index)
{
    const WaitingOp next = device.nextWaiting();
    const std::uint32_t op = next.op;
    device.popWaiting();
    const auto durationNs = static_cast<double>(m_graph.durationNs[op]);
    const double remainingNs = device.preempts() ? m_remainingNs[op] : durationNs;
    device.advance(m_nowNs);
    device.add({ next, m_graph.bytesOf(OpId(op)), remainingNs });
    device.setSpeed(speedOf(op));
    if (remainingNs < durationNs)
        return; // it goes on where it was set back
    m_result.startNs[op] = m_nowNs;
    if (m_nowNs > m_readyNs[op] && m_lastEnded[index] != NoOp)
        m_result.cause[op] = { m_lastEnded[index], true };
}

void EventLoop::reschedule(std::uint32_t index)
{
    m_devices[index].schedule();
    if (m_devices[index].nextEndNs() != ServedDevice::Never)
        m_events.push({ m_devices[index].nextEndNs(), index, What::Device });
}

/// While the link carries data, what shares the cores with it runs slower.
void EventLoop::setInterference(bool isInterfering)
{
    if (isInterfering == m_isInterfering)
        return;
    m_isInterfering = isInterfering;
    for (std::uint32_t index = 0; index < m_devices.size(); ++index) {
        ServedDevice &device = m_devices[index];
        if (m_graph.devices[index].isLink || device.served().empty()
            || m_graph.stretchShare[device.served().front().key.op] <= 0)
            continue;
        device.advance(m_nowNs);
        device.setSpeed(speedOf(device.served().front().key.op));
        reschedule(index);
    }
}

double EventLoop::speedOf(std::uint32_t op) const
{
    if (!m_isInterfering)
        return 1;
    return 1 / (1 + static_cast<double>(m_graph.stretchShare[op]) * (m_graph.slowdown - 1));
}

void EventLoop::checkAllDone() const
{
    if (m_done == m_graph.size())
        return;
    const auto stuck = std::find_if(m_missing.begin(), m_missing.end(),
                                    [](std::uint32_t missing) { return missing > 0; });
    const auto op = static_cast<std::size_t>(stuck - m_missing.begin());
    throw Error("Replay stopped: '" + m_graph.names[m_graph.name[op].value]
                + "' waits for itself (cycle).");
}

} // namespace core
