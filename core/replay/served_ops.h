#pragma once

#include "core/graph/graph.h"
#include "core/replay/waiting_ops.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace core {

struct ServedOp
{
    WaitingOp key;
    std::uint64_t bytes; ///< of the device's credit
    double remainingNs; ///< of work, at the device's full rate
    float rateLimit; ///< see Graph::rateLimit
    double share = 1; ///< of the device's rate, while the same ops are served
};

/// The ops that a device serves at once, and at which rate (a Fifo device serves one).
class ServedOps
{
public:
    static constexpr std::int64_t Never = std::numeric_limits<std::int64_t>::max();

    explicit ServedOps(const Device &device);

    bool isEmpty() const { return m_ops.empty(); }
    const ServedOp &front() const { return m_ops.front(); }
    const std::vector<ServedOp> &all() const { return m_ops; }
    bool preempts() const { return m_preempts; }
    bool hasRoomFor(std::uint64_t bytes) const
    {
        return m_ops.empty()
            || (m_ops.size() < m_capacity
                && (m_creditBytes == 0
                    || (bytes <= m_creditBytes && m_bytes <= m_creditBytes - bytes)));
    }

    /// Processor sharing: n served ops have progressed at 1/n of the rate each until now; what one
    /// with a limit leaves, the others share. To be called before they or the speed change.
    void advance(std::int64_t nowNs);
    void add(const ServedOp &op);
    /// Takes the least urgent of the served ops off if `op` is more urgent; the caller lets it
    /// wait.
    bool setBack(const WaitingOp &op, ServedOp &wasServed);
    /// Takes off what has no work left and appends it to `ended`.
    void takeEnded(std::vector<std::uint32_t> &ended);
    /// Below 1 while communication slows the op down.
    void setSpeed(double speed) { m_speed = speed; }

    /// When the first of the served ops ends if nothing joins or leaves; Never if none does, and
    /// from a change of the served ops until schedule().
    std::int64_t nextEndNs() const { return m_nextEndNs; }
    /// Finds nextEndNs().
    void schedule();

private:
    void shareRate();

    std::vector<ServedOp> m_ops;
    std::size_t m_capacity;
    std::uint64_t m_creditBytes = 0, m_bytes = 0;
    bool m_isOneByOne;
    bool m_preempts;
    double m_speed = 1;
    std::int64_t m_updatedNs = 0; ///< when `remainingNs` was last brought up to date
    std::int64_t m_nextEndNs = Never;
};

} // namespace core
