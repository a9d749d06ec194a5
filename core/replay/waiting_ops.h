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

/// The ops that wait for one device. What comes in the order in which it will be taken, as nearly
/// all does where ops are served in the order of readiness, is a run; what is more urgent than all
/// that waits begins another one (P3: the slices of a tensor, whose layer is needed before those of
/// the tensors before). Only the last run gets ops and gives them. Others are a heap beside them.
class WaitingOps
{
public:
    bool isEmpty() const { return m_runs.empty() && m_heap.empty(); }
    /// The most urgent one.
    const WaitingOp &front() const
    {
        return isHeapNext() ? m_heap.front() : firstOf(m_runs.back());
    }
    /// In no order.
    std::vector<WaitingOp> all() const
    {
        std::vector<WaitingOp> ops = m_heap;
        for (std::size_t i = 0; i < m_runs.size(); ++i)
            ops.insert(ops.end(), at(m_runs[i].next),
                       i + 1 < m_runs.size() ? at(m_runs[i + 1].begin) : m_ops.end());
        return ops;
    }
    void push(const WaitingOp &op)
    {
        if (m_runs.empty() || op.isMoreUrgentThan(firstOf(m_runs.back())))
            m_runs.push_back({ m_ops.size(), m_ops.size() });
        else if (op.isMoreUrgentThan(m_ops.back()) || isBehindRunBefore(op))
            return pushAside(op);
        m_ops.push_back(op);
    }
    void pop()
    {
        if (isHeapNext()) {
            std::pop_heap(m_heap.begin(), m_heap.end(), isLessUrgent);
            m_heap.pop_back();
            return;
        }
        if (++m_runs.back().next < m_ops.size())
            return;
        m_ops.erase(at(m_runs.back().begin), m_ops.end());
        m_runs.pop_back();
    }

private:
    /// Places in `m_ops`; a run ends where the next one begins.
    struct Run
    {
        std::size_t begin;
        std::size_t next; ///< the first that has not been taken
    };

    static bool isLessUrgent(const WaitingOp &a, const WaitingOp &b)
    {
        return b.isMoreUrgentThan(a);
    }
    std::vector<WaitingOp>::const_iterator at(std::size_t place) const
    {
        return m_ops.begin() + static_cast<std::ptrdiff_t>(place);
    }
    const WaitingOp &firstOf(const Run &run) const { return m_ops[run.next]; }
    bool isBehindRunBefore(const WaitingOp &op) const
    {
        return m_runs.size() > 1 && !op.isMoreUrgentThan(firstOf(m_runs[m_runs.size() - 2]));
    }
    bool isHeapNext() const
    {
        return !m_heap.empty()
            && (m_runs.empty() || m_heap.front().isMoreUrgentThan(firstOf(m_runs.back())));
    }
    void pushAside(const WaitingOp &op)
    {
        m_heap.push_back(op);
        std::push_heap(m_heap.begin(), m_heap.end(), isLessUrgent);
    }

    std::vector<WaitingOp> m_ops; ///< runs, each ascending and all of it before what the last left
    std::vector<Run> m_runs; ///< none is all taken
    std::vector<WaitingOp> m_heap;
};

} // namespace core
