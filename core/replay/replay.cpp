#include "core/replay/replay.h"

#include "core/base/error.h"

#include <queue>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <tuple>

namespace core {

namespace {

    constexpr std::int64_t Never = std::numeric_limits<std::int64_t>::max();

    constexpr double LongestNs = 1e18; ///< thirty years: an op that would take longer never ends

    /// Something that happens at a time: an op becomes ready (device unused), or a device may have
    /// finished an op. Ordered by time, then device id, then op id, which makes the replay
    /// deterministic.
    struct Event
    {
        std::int64_t timeNs;
        std::uint32_t device;
        std::uint32_t op; ///< NoOp: look at the device
        friend bool operator>(const Event &a, const Event &b)
        {
            return std::tie(a.timeNs, a.device, a.op) > std::tie(b.timeNs, b.device, b.op);
        }
    };

    struct Waiting
    {
        std::int64_t readyNs;
        std::uint32_t op;
        friend bool operator>(const Waiting &a, const Waiting &b)
        {
            return std::tie(a.readyNs, a.op) > std::tie(b.readyNs, b.op);
        }
    };

    struct Running
    {
        std::uint32_t op;
        double remainingNs; ///< of work, at the device's full rate
    };

    /// One device while the replay runs. A Fifo device is a Shared one with a single slot.
    struct DeviceState
    {
        std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
        std::vector<Running> running;
        std::size_t capacity = 1;
        double speed = 1; ///< of what runs; below 1 while communication takes the host's cores
        std::int64_t updatedNs = 0; ///< when `remainingNs` was last brought up to date
        std::int64_t nextEndNs = Never; ///< when the first of `running` ends if nothing joins
        OpId lastEnded = NoOp;

        /// Processor sharing: n running ops progress at 1/n of the rate each.
        void advance(std::int64_t nowNs)
        {
            const double share = speed * static_cast<double>(nowNs - updatedNs)
                / static_cast<double>(std::max<std::size_t>(1, running.size()));
            for (Running &r : running)
                r.remainingNs = std::max(0.0, r.remainingNs - share);
            updatedNs = nowNs;
        }
        void schedule()
        {
            nextEndNs = Never;
            for (const Running &r : running) {
                const double endNs
                    = std::ceil(r.remainingNs * static_cast<double>(running.size()) / speed - 1e-6);
                if (endNs < LongestNs)
                    nextEndNs = std::min(nextEndNs, updatedNs + static_cast<std::int64_t>(endNs));
            }
        }
    };

    class Replay
    {
    public:
        Replay(const Graph &graph, const JobControl &control)
            : m_graph(graph)
            , m_control(control)
            , m_missing(graph.size(), 0)
            , m_readyNs(graph.size(), 0)
            , m_devices(graph.devices.size())
        {
            for (std::size_t i = 0; i < m_devices.size(); ++i)
                m_devices[i].capacity = graph.devices[i].discipline == Discipline::Shared
                    ? graph.devices[i].capacity
                    : 1;
            m_result.startNs.assign(graph.size(), 0);
            m_result.endNs.assign(graph.size(), 0);
            m_result.cause.assign(graph.size(), {});
            linkSuccessors();
        }

        ReplayResult run()
        {
            for (std::uint32_t i = 0; i < m_graph.size(); ++i)
                if (m_missing[i] == 0)
                    becomeReady(i, 0);
            std::size_t handled = 0;
            while (!m_events.empty()) {
                if ((++handled & 0xFFFF) == 0)
                    throwIfCancelled(m_control);
                const Event event = m_events.top();
                m_events.pop();
                handle(event);
            }
            checkAllDone();
            return std::move(m_result);
        }

    private:
        void linkSuccessors()
        {
            const std::size_t n = m_graph.size();
            m_successorOffset.assign(n + 1, 0);
            for (const Edge &edge : m_graph.preds)
                ++m_successorOffset[edge.op.value + 1];
            for (std::size_t i = 0; i < n; ++i)
                m_successorOffset[i + 1] += m_successorOffset[i];
            m_successors.resize(m_graph.preds.size());
            std::vector<std::uint32_t> next(m_successorOffset.begin(), m_successorOffset.end() - 1);
            for (std::uint32_t i = 0; i < n; ++i) {
                const auto preds = m_graph.predecessors(OpId(i));
                m_missing[i] = static_cast<std::uint32_t>(preds.size());
                for (const Edge &edge : preds)
                    m_successors[next[edge.op.value]++] = i;
            }
        }

        void becomeReady(std::uint32_t op, std::int64_t lastPredEndNs)
        {
            m_readyNs[op] = lastPredEndNs + m_graph.delayNs[op];
            m_events.push({ m_readyNs[op], m_graph.device[op].value, op });
        }

        void handle(const Event &event)
        {
            if (event.op != NoOp.value) {
                if (m_graph.kind[event.op] == OpKind::Virtual) {
                    m_result.startNs[event.op] = event.timeNs;
                    finish(event.op, event.timeNs + m_graph.durationNs[event.op]);
                    return;
                }
                m_devices[event.device].waiting.push({ event.timeNs, event.op });
            }
            serve(event.device, event.timeNs);
        }

        /// Ends what has ended on the device, starts what can start, and notes when to look again.
        void serve(std::uint32_t index, std::int64_t nowNs)
        {
            DeviceState &device = m_devices[index];
            if (device.nextEndNs == nowNs || device.running.empty() || !device.waiting.empty())
                device.advance(nowNs);
            if (device.nextEndNs == nowNs)
                endFinished(device, nowNs);
            bool isChanged = false;
            while (!device.waiting.empty() && device.running.size() < device.capacity) {
                const std::uint32_t op = device.waiting.top().op;
                device.waiting.pop();
                start(device, op, nowNs);
                isChanged = true;
            }
            if (isChanged || device.nextEndNs == nowNs) {
                reschedule(index);
            }
            if (m_graph.interferingLink == DeviceId(index))
                setInterference(!device.running.empty(), nowNs);
        }

        void reschedule(std::uint32_t index)
        {
            m_devices[index].schedule();
            if (m_devices[index].nextEndNs != Never)
                m_events.push({ m_devices[index].nextEndNs, index, NoOp.value });
        }

        /// While the link carries data, what shares the cores with it runs slower.
        void setInterference(bool isInterfering, std::int64_t nowNs)
        {
            if (isInterfering == m_isInterfering)
                return;
            m_isInterfering = isInterfering;
            for (std::uint32_t index = 0; index < m_devices.size(); ++index) {
                DeviceState &device = m_devices[index];
                if (m_graph.devices[index].isLink || device.running.empty()
                    || m_graph.stretchShare[device.running.front().op] <= 0)
                    continue;
                device.advance(nowNs);
                device.speed = speedOf(device.running.front().op);
                reschedule(index);
            }
        }

        double speedOf(std::uint32_t op) const
        {
            if (!m_isInterfering)
                return 1;
            return 1 / (1 + static_cast<double>(m_graph.stretchShare[op]) * (m_graph.slowdown - 1));
        }

        void start(DeviceState &device, std::uint32_t op, std::int64_t nowNs)
        {
            device.running.push_back({ op, static_cast<double>(m_graph.durationNs[op]) });
            device.speed = speedOf(op);
            m_result.startNs[op] = nowNs;
            if (nowNs > m_readyNs[op] && device.lastEnded != NoOp)
                m_result.cause[op] = { device.lastEnded, true };
        }

        void endFinished(DeviceState &device, std::int64_t nowNs)
        {
            // Half a nanosecond of work left is rounding, not work.
            const auto isDone = [](const Running &r) { return r.remainingNs < 0.5; };
            for (const Running &r : device.running) {
                if (!isDone(r))
                    continue;
                device.lastEnded = OpId(r.op);
                finish(r.op, nowNs);
            }
            std::erase_if(device.running, isDone);
        }

        void finish(std::uint32_t op, std::int64_t endNs)
        {
            m_result.endNs[op] = endNs;
            ++m_done;
            for (std::uint32_t k = m_successorOffset[op]; k < m_successorOffset[op + 1]; ++k) {
                const std::uint32_t next = m_successors[k];
                // Events come in order of time, so the op that ends last is the one that releases
                // the successor.
                m_result.cause[next] = { OpId(op), false };
                m_readyNs[next] = std::max(m_readyNs[next], endNs);
                if (--m_missing[next] == 0)
                    becomeReady(next, m_readyNs[next]);
            }
        }

        void checkAllDone() const
        {
            if (m_done == m_graph.size())
                return;
            const auto stuck = std::find_if(m_missing.begin(), m_missing.end(),
                                            [](std::uint32_t n) { return n > 0; });
            const auto op = static_cast<std::size_t>(stuck - m_missing.begin());
            throw Error("Replay stopped: '" + m_graph.names[m_graph.name[op].value]
                        + "' waits for itself (cycle).");
        }

        const Graph &m_graph;
        const JobControl &m_control;
        std::vector<std::uint32_t> m_missing; ///< predecessors not yet done, by op
        std::vector<std::int64_t> m_readyNs; ///< by op
        std::vector<std::uint32_t> m_successorOffset, m_successors;
        std::vector<DeviceState> m_devices;
        std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
        std::size_t m_done = 0;
        bool m_isInterfering = false;
        ReplayResult m_result;
    };

    void collectIterationEnds(const Graph &graph, ReplayResult &result)
    {
        for (const std::int64_t endNs : result.endNs)
            result.makespanNs = std::max(result.makespanNs, endNs);
        for (const OpId end : graph.iterationEnds)
            result.iterationEndNs.push_back(result.endNs[end.value]);
    }

} // namespace

ReplayResult replay(const Graph &graph, const JobControl &control)
{
    const auto begin = std::chrono::steady_clock::now();
    ReplayResult result = Replay(graph, control).run();
    collectIterationEnds(graph, result);
    result.wallNs = std::chrono::duration_cast<std::chrono::nanoseconds>(
                        std::chrono::steady_clock::now() - begin)
                        .count();
    return result;
}

ReplayedPart replayedPart(const ReplayResult &result, const CollectiveNode &node,
                          const CollectiveNode::Part &part)
{
    const std::int64_t transferStartNs = result.startNs[node.transfer.value];
    const bool isQueued = result.cause[node.transfer.value].isDeviceOrder;
    return { isQueued ? transferStartNs : result.endNs[part.ready.value], transferStartNs,
             result.endNs[node.transfer.value] };
}

std::vector<OpId> criticalPath(const Graph &graph, const ReplayResult &result, OpId last)
{
    std::vector<OpId> path;
    if (graph.size() == 0)
        return path;
    if (last == NoOp) {
        const auto latest = std::max_element(result.endNs.begin(), result.endNs.end());
        last = OpId(static_cast<std::uint32_t>(latest - result.endNs.begin()));
    }
    for (OpId op = last; op != NoOp; op = result.cause[op.value].op)
        path.push_back(op);
    std::reverse(path.begin(), path.end());
    return path;
}

} // namespace core
