#pragma once

#include <algorithm>
#include <cstdint>
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

/// The ops that wait for one device, as a heap.
class WaitingOps
{
public:
    bool isEmpty() const { return m_ops.empty(); }
    /// The most urgent one.
    const WaitingOp &front() const { return m_ops.front(); }
    const std::vector<WaitingOp> &all() const { return m_ops; }
    void push(const WaitingOp &op)
    {
        m_ops.push_back(op);
        if (m_ops.size() > 1)
            std::push_heap(m_ops.begin(), m_ops.end(), isLessUrgent);
    }
    void pop()
    {
        if (m_ops.size() > 1)
            std::pop_heap(m_ops.begin(), m_ops.end(), isLessUrgent);
        m_ops.pop_back();
    }

private:
    static bool isLessUrgent(const WaitingOp &a, const WaitingOp &b)
    {
        return b.isMoreUrgentThan(a);
    }

    std::vector<WaitingOp> m_ops;
};

} // namespace core
