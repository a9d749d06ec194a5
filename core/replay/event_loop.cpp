#include "core/replay/event_loop.h"

#include "core/base/error.h"
#include "core/replay/latest_time.h"
#include "core/replay/replay_order.h"

#include <algorithm>
#include <utility>

namespace core {

namespace {

    /// One more than the largest WorkerId that an op or a device has.
    std::size_t workersNamed(const Graph &graph)
    {
        std::size_t count = 0;
        for (const WorkerId worker : graph.worker)
            count = std::max(count, std::size_t { worker.value } + 1);
        for (const Device &device : graph.devices) {
            count = std::max(count, std::size_t { device.worker.value } + 1);
            for (const WorkerId worker : device.slows)
                count = std::max(count, std::size_t { worker.value } + 1);
        }
        return count;
    }

} // namespace

EventLoop::EventLoop(const Graph &graph, const Successors &successors, const JobControl &control)
    : m_graph(graph)
    , m_successors(successors)
    , m_control(control)
    , m_ops(graph.size())
    , m_devices(graph.devices.size())
{
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        m_ops[i].missing = graph.predOffset[i + 1] - graph.predOffset[i];
    if (hasInterference(graph))
        setUpInterference();
    for (std::size_t i = 0; i < m_devices.size(); ++i)
        if (m_devices[i].mayInterfere || m_devices[i].isSlowable
            || !servesOneByOne(graph.devices[i]))
            m_devices[i].served.emplace(graph.devices[i]);
    if (std::any_of(m_devices.begin(), m_devices.end(),
                    [](const DeviceState &d) { return d.served && d.served->preempts(); }))
        m_remainingNs.assign(graph.durationNs.begin(), graph.durationNs.end());
}

void EventLoop::setUpInterference()
{
    m_slowing.resize(workersNamed(m_graph), 0);
    m_slowable.resize(m_slowing.size());
    for (std::size_t op = 0; op < m_graph.size(); ++op)
        if (m_graph.stretchShare[op] > 0 && !m_graph.devices[m_graph.device[op].value].isLink)
            m_devices[m_graph.device[op].value].isSlowable = true;
    for (std::uint32_t i = 0; i < m_devices.size(); ++i) {
        const Device &device = m_graph.devices[i];
        const Device &whole = device.partOf ? m_graph.devices[device.partOf->value] : device;
        m_devices[i].mayInterfere = !whole.slows.empty();
        if (m_devices[i].isSlowable)
            m_slowable[device.worker.value].push_back(i);
    }
}

ReplayResult EventLoop::run()
{
    if (m_result.endNs.size() != m_graph.size()) // else it is resumed
        releaseSources();
    std::size_t handled = 0;
    while (!m_events.isEmpty()) {
        m_nowNs = m_events.nextNs();
        while (!m_events.isEmpty() && m_events.nextNs() == m_nowNs) {
            if ((++handled & 0xFFFF) == 0)
                throwIfCancelled(m_control);
            handle(m_events.pop());
        }
        lookAtTouched();
        const bool isTimeOver = m_events.isEmpty() || m_events.nextNs() > m_nowNs;
        if (m_checkpoints && isTimeOver && m_done >= m_nextCheckpoint)
            recordCheckpoint();
    }
    checkAllDone();
    return std::move(m_result);
}

void EventLoop::releaseSources()
{
    m_result.startNs.resize(m_graph.size());
    m_result.endNs.resize(m_graph.size());
    m_result.cause.resize(m_graph.size());
    for (std::uint32_t i = 0; i < m_graph.size(); ++i)
        if (m_ops[i].missing == 0)
            m_events.push(m_ops[i].readyNs = m_graph.delayNs[i], { i, What::Ready });
}

void EventLoop::handle(EventQueue::Event event)
{
    switch (event.what) {
    case What::Ready:
        becomeReady(event.index);
        break;
    case What::Ended:
        endOne(event.index);
        break;
    case What::Device:
        endShared(event.index);
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
    const std::uint32_t index = m_graph.device[op].value;
    if (m_graph.kind[op] != OpKind::Virtual) {
        m_devices[index].waiting.push(waitingOp(op));
        touch(index);
        return;
    }
    m_result.startNs[op] = m_nowNs;
    m_result.cause[op] = { m_ops[op].lastPred, false };
    if (m_graph.durationNs[op] == 0)
        m_finished.push_back(op);
    else
        m_events.push(laterNs(m_nowNs, m_graph.durationNs[op]), { op, What::Ended });
}

WaitingOp EventLoop::waitingOp(std::uint32_t op) const
{
    const bool isByPriority
        = m_graph.devices[m_graph.device[op].value].discipline == Discipline::Priority;
    return { isByPriority ? m_graph.priorityOf(OpId(op)) : 0, op, m_ops[op].readyNs };
}

void EventLoop::endOne(std::uint32_t op)
{
    m_finished.push_back(op);
    if (m_graph.kind[op] == OpKind::Virtual)
        return;
    const std::uint32_t index = m_graph.device[op].value;
    m_devices[index].lastEnded = OpId(op);
    m_devices[index].isBusy = false;
    touch(index);
}

void EventLoop::endShared(std::uint32_t index)
{
    DeviceState &device = m_devices[index];
    if (device.served->nextEndNs() != m_nowNs)
        return; // what was to end now was delayed or set back
    device.served->advance(m_nowNs);
    device.served->takeEnded(m_finished);
    if (!m_finished.empty())
        device.lastEnded = OpId(m_finished.back());
    touch(index);
}

void EventLoop::finish(std::uint32_t op)
{
    m_result.endNs[op] = m_nowNs;
    ++m_done;
    for (const std::uint32_t next : m_successors.of(op)) {
        OpState &state = m_ops[next];
        if (m_nowNs > state.readyNs || state.lastPred == NoOp || op > state.lastPred.value)
            state.lastPred = OpId(op);
        state.readyNs = m_nowNs;
        if (--state.missing == 0)
            release(next);
    }
}

void EventLoop::release(std::uint32_t op)
{
    const std::int64_t delayNs = m_graph.delayNs[op];
    m_ops[op].readyNs = laterNs(m_ops[op].readyNs, delayNs);
    if (delayNs == 0)
        becomeReady(op);
    else
        m_events.push(m_ops[op].readyNs, { op, What::Ready });
}

void EventLoop::touch(std::uint32_t device)
{
    if (m_devices[device].isTouched)
        return;
    m_devices[device].isTouched = true;
    m_touched.push_back(device);
}

void EventLoop::lookAtTouched()
{
    for (const std::uint32_t index : m_touched) {
        DeviceState &device = m_devices[index];
        device.isTouched = false;
        if (device.served)
            serveShared(index);
        else if (!device.isBusy && !device.waiting.isEmpty())
            serveOne(device);
    }
    m_touched.clear();
}

void EventLoop::serveOne(DeviceState &device)
{
    const std::uint32_t op = device.waiting.front().op;
    device.waiting.pop();
    device.isBusy = true;
    noteStart(device, op);
    m_events.push(laterNs(m_nowNs, m_graph.durationNs[op]), { op, What::Ended });
}

/// Starts what can start, and notes when to look again.
void EventLoop::serveShared(std::uint32_t index)
{
    DeviceState &device = m_devices[index];
    while (!device.waiting.isEmpty() && makeRoom(device))
        startShared(device);
    if (device.served->nextEndNs() == ServedOps::Never)
        reschedule(index);
    noteInterference(index);
}

/// For the next op that waits, setting less urgent ones back if the device preempts.
bool EventLoop::makeRoom(DeviceState &device)
{
    const WaitingOp next = device.waiting.front();
    const std::uint64_t bytes = m_graph.bytesOf(OpId(next.op));
    while (!device.served->hasRoomFor(bytes)) {
        if (!device.served->preempts())
            return false;
        ServedOp wasServed;
        device.served->advance(m_nowNs);
        if (!device.served->setBack(next, wasServed))
            return false;
        m_remainingNs[wasServed.key.op] = wasServed.remainingNs;
        device.waiting.push(wasServed.key);
    }
    return true;
}

void EventLoop::startShared(DeviceState &device)
{
    const WaitingOp next = device.waiting.front();
    const std::uint32_t op = next.op;
    device.waiting.pop();
    const auto durationNs = static_cast<double>(m_graph.durationNs[op]);
    const double remainingNs = device.served->preempts() ? m_remainingNs[op] : durationNs;
    device.served->advance(m_nowNs);
    device.served->add(
        { next, m_graph.bytesOf(OpId(op)), remainingNs, m_graph.rateLimitOf(OpId(op)) });
    if (remainingNs >= durationNs) // else it goes on where it was set back
        noteStart(device, op);
}

void EventLoop::noteStart(const DeviceState &device, std::uint32_t op)
{
    m_result.startNs[op] = m_nowNs;
    const bool waitedForDevice = m_nowNs > m_ops[op].readyNs && device.lastEnded != NoOp;
    m_result.cause[op] = waitedForDevice ? StartCause { device.lastEnded, true }
                                         : StartCause { m_ops[op].lastPred, false };
}

void EventLoop::reschedule(std::uint32_t index)
{
    DeviceState &device = m_devices[index];
    ServedOps &served = *device.served;
    if (device.isSlowable && !served.isEmpty())
        served.setSpeed(speedOf(served.front().key.op));
    served.schedule();
    if (served.nextEndNs() != ServedOps::Never)
        m_events.push(served.nextEndNs(), { index, What::Device });
}

/// While a device transfers something, what shares cores or memory with it runs slower.
void EventLoop::noteInterference(std::uint32_t index)
{
    if (!m_devices[index].mayInterfere)
        return;
    for (const WorkerId worker : recountSlowed(index))
        rescheduleSlowed(m_slowable[worker.value]);
}

bool EventLoop::isTransferring(const DeviceState &device) const
{
    const std::vector<ServedOp> &ops = device.served->all();
    return std::any_of(ops.begin(), ops.end(), [this](const ServedOp &served) {
        return m_graph.kind[served.key.op] == OpKind::Communication;
    });
}

/// All ranks of a link, and of an end of it the rank that sends or receives what it carries. (Of an
/// end of a parameter server's that is the other one: a server is no rank.)
std::vector<WorkerId> EventLoop::slowedBy(std::uint32_t index) const
{
    const DeviceState &device = m_devices[index];
    if (!m_graph.devices[index].partOf)
        return isTransferring(device) ? m_graph.devices[index].slows : std::vector<WorkerId>();
    std::vector<WorkerId> workers;
    for (const ServedOp &served : device.served->all())
        if (m_graph.kind[served.key.op] == OpKind::Communication)
            workers.push_back(m_graph.worker[served.key.op]);
    return workers;
}

/// Returns the ranks that run slower, or no longer do, from now on because of the device.
std::vector<WorkerId> EventLoop::recountSlowed(std::uint32_t index)
{
    DeviceState &device = m_devices[index];
    std::vector<WorkerId> changed;
    if (!m_graph.devices[index].partOf && isTransferring(device) != device.slowed.empty())
        return changed; // one transfer follows another
    std::vector<WorkerId> slowed = slowedBy(index);
    // The new ones first: whoever goes on has not changed.
    for (const WorkerId worker : slowed)
        if (++m_slowing[worker.value] == 1)
            changed.push_back(worker);
    for (const WorkerId worker : device.slowed)
        if (--m_slowing[worker.value] == 0)
            changed.push_back(worker);
    device.slowed = std::move(slowed);
    return changed;
}

void EventLoop::rescheduleSlowed(const std::vector<std::uint32_t> &devices)
{
    for (const std::uint32_t i : devices) {
        ServedOps &served = *m_devices[i].served;
        if (served.isEmpty() || m_graph.stretchShare[served.front().key.op] <= 0)
            continue;
        served.advance(m_nowNs);
        reschedule(i);
    }
}

double EventLoop::speedOf(std::uint32_t op) const
{
    if (m_slowing[m_graph.worker[op].value] == 0)
        return 1;
    return 1 / (1 + static_cast<double>(m_graph.stretchShare[op]) * (m_graph.slowdown - 1));
}

void EventLoop::checkAllDone() const
{
    if (m_done == m_graph.size())
        return;
    // All events are over, so what a device still serves never ends.
    if (std::any_of(m_devices.begin(), m_devices.end(),
                    [](const DeviceState &d) { return d.served && !d.served->isEmpty(); }))
        throw Error("Replay stopped: an operation would take longer than thirty years.");
    const auto stuck = std::find_if(m_ops.begin(), m_ops.end(),
                                    [](const OpState &state) { return state.missing > 0; });
    const auto op = static_cast<std::size_t>(stuck - m_ops.begin());
    throw Error("Replay stopped: '" + m_graph.names[m_graph.name[op].value]
                + "' waits for itself (cycle).");
}

} // namespace core
