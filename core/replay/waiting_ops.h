#pragma once

#include <algorithm>
#include <cstddef>
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

/// The ops that wait for one device. Those that come in the order in which they will be taken, as
/// all of a device that serves in the order of readiness do but for some of one time, are a queue;
/// others are a heap beside it.
class WaitingOps
{
public:
    bool isEmpty() const { return m_next == m_queue.size() && m_heap.empty(); }
    /// The most urgent one.
    const WaitingOp &front() const { return isHeapNext() ? m_heap.front() : m_queue[m_next]; }
    /// In no order.
    std::vector<WaitingOp> all() const
    {
        std::vector<WaitingOp> ops(m_queue.begin() + static_cast<std::ptrdiff_t>(m_next),
                                   m_queue.end());
        ops.insert(ops.end(), m_heap.begin(), m_heap.end());
        return ops;
    }
    void push(const WaitingOp &op)
    {
        if (m_next == m_queue.size()) {
            m_queue.clear();
            m_next = 0;
        }
        if (m_queue.empty() || !op.isMoreUrgentThan(m_queue.back())) {
            m_queue.push_back(op);
            return;
        }
        m_heap.push_back(op);
        std::push_heap(m_heap.begin(), m_heap.end(), isLessUrgent);
    }
    void pop()
    {
        if (!isHeapNext()) {
            ++m_next;
            return;
        }
        std::pop_heap(m_heap.begin(), m_heap.end(), isLessUrgent);
        m_heap.pop_back();
    }

private:
    static bool isLessUrgent(const WaitingOp &a, const WaitingOp &b)
    {
        return b.isMoreUrgentThan(a);
    }
    bool isHeapNext() const
    {
        return !m_heap.empty()
            && (m_next == m_queue.size() || m_heap.front().isMoreUrgentThan(m_queue[m_next]));
    }

    std::vector<WaitingOp> m_queue; ///< ascending
    std::size_t m_next = 0; ///< the first of the queue that is still there
    std::vector<WaitingOp> m_heap;
};

} // namespace core
