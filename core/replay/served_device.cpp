#include "core/replay/served_device.h"

#include <algorithm>

namespace core {

namespace {

    constexpr double LongestNs = 1e18; ///< thirty years: an op that would take longer never ends

    bool isLessUrgent(const WaitingOp &a, const WaitingOp &b)
    {
        return b.isMoreUrgentThan(a);
    }

    /// The next whole nanosecond, but for the rounding of sums of shares.
    std::int64_t roundedUp(double ns)
    {
        const auto whole = static_cast<std::int64_t>(ns);
        return ns - static_cast<double>(whole) > 1e-6 ? whole + 1 : whole;
    }

} // namespace

ServedDevice::ServedDevice(const Device &device)
    : m_capacity(device.discipline == Discipline::Fifo ? 1 : device.capacity)
    , m_creditBytes(device.discipline == Discipline::Fifo ? 0 : device.creditBytes)
    , m_looksAtPriority(device.discipline == Discipline::Priority)
    , m_preempts(m_looksAtPriority && device.preempts)
{
}

void ServedDevice::wait(const WaitingOp &op)
{
    m_waiting.push_back(op);
    std::push_heap(m_waiting.begin(), m_waiting.end(), isLessUrgent);
}

void ServedDevice::popWaiting()
{
    std::pop_heap(m_waiting.begin(), m_waiting.end(), isLessUrgent);
    m_waiting.pop_back();
}

void ServedDevice::add(const ServedOp &op)
{
    m_served.push_back(op);
    m_servedBytes += op.bytes;
    m_nextEndNs = Never;
}

bool ServedDevice::setBack(const WaitingOp &op, ServedOp &wasServed)
{
    const auto last = std::max_element(
        m_served.begin(), m_served.end(),
        [](const ServedOp &a, const ServedOp &b) { return a.key.isMoreUrgentThan(b.key); });
    if (last == m_served.end() || !op.isMoreUrgentThan(last->key))
        return false;
    wasServed = *last;
    m_servedBytes -= last->bytes;
    m_served.erase(last);
    m_nextEndNs = Never;
    return true;
}

void ServedDevice::takeEnded(std::vector<std::uint32_t> &ended)
{
    // Half a nanosecond of work left is rounding, not work.
    std::erase_if(m_served, [&](const ServedOp &served) {
        if (served.remainingNs >= 0.5)
            return false;
        m_servedBytes -= served.bytes;
        ended.push_back(served.key.op);
        return true;
    });
    m_nextEndNs = Never;
}

void ServedDevice::advance(std::int64_t nowNs)
{
    const double share = m_speed * static_cast<double>(nowNs - m_updatedNs)
        / static_cast<double>(std::max<std::size_t>(1, m_served.size()));
    for (ServedOp &served : m_served)
        served.remainingNs = std::max(0.0, served.remainingNs - share);
    m_updatedNs = nowNs;
}

void ServedDevice::schedule()
{
    m_nextEndNs = Never;
    for (const ServedOp &served : m_served) {
        const double ns = served.remainingNs * static_cast<double>(m_served.size()) / m_speed;
        if (ns < LongestNs)
            m_nextEndNs = std::min(m_nextEndNs, m_updatedNs + roundedUp(ns));
    }
}

} // namespace core
