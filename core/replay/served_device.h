#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace core {

/// An op that waits for its device.
struct WaitingOp
{
    std::int32_t priority; ///< 0 on a device that does not look at it
    std::uint32_t op;
    std::int64_t readyNs;

    bool isMoreUrgentThan(const WaitingOp &other) const
    {
        if (priority != other.priority)
            return priority < other.priority;
        if (readyNs != other.readyNs)
            return readyNs < other.readyNs;
        return op < other.op;
    }
};

/// An op that its device serves.
struct ServedOp
{
    WaitingOp key;
    std::uint64_t bytes; ///< of the device's credit
    double remainingNs; ///< of work, at the device's full rate
};

/// One device while the replay runs: which ops wait and which are served, at which rate. Fifo is
/// Shared with a single slot.
class ServedDevice
{
public:
    static constexpr std::int64_t Never = std::numeric_limits<std::int64_t>::max();

    explicit ServedDevice(const Device &device);

    bool looksAtPriority() const { return m_looksAtPriority; }
    bool preempts() const { return m_preempts; }
    const std::vector<ServedOp> &served() const { return m_served; }
    /// When the first of the served ops ends if nothing joins or leaves; Never if none does, and
    /// from a change of the served ops until schedule().
    std::int64_t nextEndNs() const { return m_nextEndNs; }

    void wait(const WaitingOp &op);
    bool hasWaiting() const { return !m_waiting.empty(); }
    const WaitingOp &nextWaiting() const { return m_waiting.front(); }
    void popWaiting();

    bool hasRoomFor(std::uint64_t bytes) const
    {
        return m_served.empty()
            || (m_served.size() < m_capacity
                && (m_creditBytes == 0
                    || (bytes <= m_creditBytes && m_servedBytes <= m_creditBytes - bytes)));
    }
    void add(const ServedOp &op);
    /// Takes the least urgent of the served ops off if `op` is more urgent; the caller lets it
    /// wait.
    bool setBack(const WaitingOp &op, ServedOp &wasServed);
    /// Takes off what has no work left and appends it to `ended`.
    void takeEnded(std::vector<std::uint32_t> &ended);

    /// Processor sharing: n served ops progress at 1/n of the rate each until now.
    void advance(std::int64_t nowNs);
    /// Below 1 while communication takes the host's cores. Call advance() before.
    void setSpeed(double speed) { m_speed = speed; }
    /// Finds nextEndNs().
    void schedule();

private:
    std::vector<WaitingOp> m_waiting; ///< a heap, the most urgent in front
    std::vector<ServedOp> m_served;
    std::size_t m_capacity;
    std::uint64_t m_creditBytes = 0, m_servedBytes = 0;
    bool m_looksAtPriority, m_preempts;
    double m_speed = 1;
    std::int64_t m_updatedNs = 0; ///< when `remainingNs` was last brought up to date
    std::int64_t m_nextEndNs = Never;
};

} // namespace core
