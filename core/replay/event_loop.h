#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/replay/replay.h"
#include "core/replay/served_device.h"

#include <queue>

#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// By OpId of the predecessor: the ops that wait for it.
struct Successors
{
    explicit Successors(const Graph &graph);

    std::vector<std::uint32_t> offset; ///< size ops + 1
    std::vector<std::uint32_t> ops;
    std::span<const std::uint32_t> of(std::uint32_t op) const
    {
        return { ops.data() + offset[op], ops.data() + offset[op + 1] };
    }
};

/// The replay of graphs whose devices choose among their ready ops: a discrete-event simulation. At
/// each time first all ops end that end then, and release others; then devices take ops. So the
/// order in which devices are looked at does not matter, and ops that become ready together compete
/// by priority and id alone.
class EventLoop
{
public:
    EventLoop(const Graph &graph, const JobControl &control);

    /// Throws Error if ops wait for themselves; Cancelled.
    ReplayResult run();

private:
    enum class What : std::uint8_t {
        Ready, ///< the op is ready
        Ended, ///< the virtual op has ended
        Device ///< an op of the device may have ended
    };
    struct Event
    {
        std::int64_t timeNs;
        std::uint32_t index; ///< of the op or the device
        What what;
        friend bool operator>(const Event &a, const Event &b) { return a.timeNs > b.timeNs; }
    };

    void handle(const Event &event);
    void releaseSources();
    void becomeReady(std::uint32_t op);
    void endOn(std::uint32_t device);
    void finish(std::uint32_t op);
    void release(std::uint32_t op);
    void lookAtTouched();
    void serve(std::uint32_t index);
    bool makeRoom(ServedDevice &device);
    void start(ServedDevice &device, std::uint32_t index);
    void reschedule(std::uint32_t index);
    void setInterference(bool isInterfering);
    double speedOf(std::uint32_t op) const;
    void checkAllDone() const;

    const Graph &m_graph;
    const JobControl &m_control;
    Successors m_successors;
    std::vector<std::uint32_t> m_missing; ///< predecessors not yet done, by op
    std::vector<std::int64_t> m_readyNs; ///< by op; until it is released, when its last predecessor
                                         ///< so far ended
    std::vector<double> m_remainingNs; ///< by op, of work; empty unless a device preempts
    std::vector<ServedDevice> m_devices;
    std::vector<OpId> m_lastEnded; ///< by device
    std::vector<char> m_isTouched; ///< by device: it may take an op at this time
    std::vector<std::uint32_t> m_touched;
    std::vector<std::uint32_t> m_finished; ///< ops that end now and have not released others yet
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    std::int64_t m_nowNs = 0;
    std::size_t m_done = 0;
    bool m_isInterfering = false;
    ReplayResult m_result;
};

} // namespace core
