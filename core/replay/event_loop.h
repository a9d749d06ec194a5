#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/replay/checkpoint.h"
#include "core/replay/event_queue.h"
#include "core/replay/replay.h"
#include "core/replay/served_ops.h"
#include "core/replay/successors.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// The replay of graphs whose devices choose among their ready ops: a discrete-event simulation. At
/// each time first all ops end that end then, and release others; then devices take ops. So the
/// order in which devices are looked at does not matter, and ops that become ready together compete
/// by priority and id alone.
class EventLoop
{
public:
    EventLoop(const Graph &graph, const Successors &successors, const JobControl &control);

    /// Appends to `checkpoints`, which must outlive the run, about `count` of them.
    void recordCheckpoints(std::vector<Checkpoint> &checkpoints, std::size_t count);
    /// Instead of from the beginning; `before` is of the replay that recorded the checkpoint. The
    /// graph may differ from that replay's by the times of ops that had not started then, and by
    /// the delays of those not released.
    void resumeFrom(const Checkpoint &checkpoint, ReplayResult before);

    /// Throws Error if ops wait for themselves; Cancelled.
    ReplayResult run();

private:
    using What = EventQueue::What;
    struct OpState
    {
        /// Until the op is released: when its last predecessor so far ended.
        std::int64_t readyNs = 0;
        std::uint32_t missing = 0; ///< predecessors not yet done
        OpId lastPred = NoOp; ///< of those that end last together the one with the largest id
    };
    struct DeviceState
    {
        WaitingOps waiting;
        /// Absent where ops are served one after the other, each for its duration.
        std::optional<ServedOps> served;
        OpId lastEnded = NoOp;
        bool isBusy = false; ///< where `served` is absent
        bool isTouched = false; ///< it may take an op at this time
        bool mayInterfere = false; ///< by Device::slows, its own or that of the link it is part of
        bool isSlowable = false; ///< communication slows some of its ops
        /// Whom it slows at this time; of a part of a link each as often as it serves one of its
        /// ops.
        std::vector<WorkerId> slowed;
    };

    void recordCheckpoint();
    std::uint32_t countMissing(std::uint32_t op);
    void resumeReleased(std::uint32_t op, bool isServed);
    void releaseSources();
    WaitingOp waitingOp(std::uint32_t op) const;
    void handle(EventQueue::Event event);
    void becomeReady(std::uint32_t op);
    void endOne(std::uint32_t op);
    void endShared(std::uint32_t device);
    void finish(std::uint32_t op);
    void release(std::uint32_t op);
    void touch(std::uint32_t device);
    void lookAtTouched();
    void serveOne(DeviceState &device);
    void serveShared(std::uint32_t index);
    bool makeRoom(DeviceState &device);
    void startShared(DeviceState &device);
    void noteStart(const DeviceState &device, std::uint32_t op);
    void reschedule(std::uint32_t index);
    void setUpInterference();
    void noteInterference(std::uint32_t index);
    bool isTransferring(const DeviceState &device) const;
    std::vector<WorkerId> slowedBy(std::uint32_t index) const;
    std::vector<WorkerId> recountSlowed(std::uint32_t index);
    void rescheduleSlowed(const std::vector<std::uint32_t> &devices);
    double speedOf(std::uint32_t op) const;
    void checkAllDone() const;

    const Graph &m_graph;
    const Successors &m_successors;
    const JobControl &m_control;
    std::vector<OpState> m_ops;
    std::vector<double> m_remainingNs; ///< by op, of work; empty unless a device preempts
    std::vector<DeviceState> m_devices;
    std::vector<std::uint32_t> m_touched; ///< devices
    std::vector<std::uint32_t> m_finished; ///< ops that end now and have not released others yet
    EventQueue m_events;
    std::int64_t m_nowNs = 0;
    std::size_t m_done = 0;
    /// By worker: how often devices slow it at this time. Empty where nothing interferes.
    std::vector<std::uint32_t> m_slowing;
    std::vector<std::vector<std::uint32_t>> m_slowable; ///< by worker: its devices that isSlowable
    ReplayResult m_result;
    std::vector<Checkpoint> *m_checkpoints = nullptr; ///< null: none are recorded
    std::size_t m_opsPerCheckpoint = 0;
    std::size_t m_nextCheckpoint = 0; ///< when so many ops are done
};

} // namespace core
