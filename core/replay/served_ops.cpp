#include "core/replay/served_ops.h"

#include "core/replay/latest_time.h"
#include "core/replay/replay_order.h"

#include <algorithm>

namespace core {

namespace {

    constexpr double LongestNs = 1e18; ///< thirty years: an op that would take longer never ends

    /// The next whole nanosecond, but for the rounding of sums of shares.
    std::int64_t roundedUp(double ns)
    {
        const auto whole = static_cast<std::int64_t>(ns);
        return ns - static_cast<double>(whole) > 1e-6 ? whole + 1 : whole;
    }

} // namespace

ServedOps::ServedOps(const Device &device)
    : m_capacity(device.discipline == Discipline::Fifo ? 1 : device.capacity)
    , m_creditBytes(device.discipline == Discipline::Fifo ? 0 : device.creditBytes)
    , m_isOneByOne(servesOneByOne(device))
    , m_preempts(device.discipline == Discipline::Priority && device.preempts)
{
}

void ServedOps::advance(std::int64_t nowNs)
{
    const double workNs = m_speed * static_cast<double>(nowNs - m_updatedNs);
    for (ServedOp &served : m_ops)
        served.remainingNs = std::max(0.0, served.remainingNs - workNs * served.share);
    m_updatedNs = nowNs;
}

void ServedOps::add(const ServedOp &op)
{
    m_ops.push_back(op);
    if (m_isOneByOne) // limits are of rates that are shared
        m_ops.back().rateLimit = 0;
    m_bytes += op.bytes;
    shareRate();
    m_nextEndNs = Never;
}

bool ServedOps::setBack(const WaitingOp &op, ServedOp &wasServed)
{
    const auto last
        = std::max_element(m_ops.begin(), m_ops.end(), [](const ServedOp &a, const ServedOp &b) {
              return a.key.isMoreUrgentThan(b.key);
          });
    if (last == m_ops.end() || !op.isMoreUrgentThan(last->key))
        return false;
    wasServed = *last;
    m_bytes -= last->bytes;
    m_ops.erase(last);
    shareRate();
    m_nextEndNs = Never;
    return true;
}

void ServedOps::takeEnded(std::vector<std::uint32_t> &ended)
{
    // Half a nanosecond of work left is rounding, not work.
    std::erase_if(m_ops, [&](const ServedOp &served) {
        if (served.remainingNs >= 0.5)
            return false;
        m_bytes -= served.bytes;
        ended.push_back(served.key.op);
        return true;
    });
    m_nextEndNs = Never;
    shareRate();
}

/// Max-min fair: those with the lowest limits first, what they leave is for the rest.
void ServedOps::shareRate()
{
    const auto isLimited = [](const ServedOp &served) { return served.rateLimit > 0; };
    if (std::none_of(m_ops.begin(), m_ops.end(), isLimited)) {
        for (ServedOp &served : m_ops)
            served.share = 1 / static_cast<double>(m_ops.size());
        return;
    }
    std::vector<ServedOp *> byLimit;
    byLimit.reserve(m_ops.size());
    for (ServedOp &served : m_ops)
        byLimit.push_back(&served);
    const auto limitOf = [&](const ServedOp *served) {
        return isLimited(*served) ? static_cast<double>(served->rateLimit) : 1.0;
    };
    std::stable_sort(byLimit.begin(), byLimit.end(),
                     [&](const ServedOp *a, const ServedOp *b) { return limitOf(a) < limitOf(b); });
    double left = 1;
    for (std::size_t i = 0; i < byLimit.size(); ++i) {
        byLimit[i]->share
            = std::min(limitOf(byLimit[i]), left / static_cast<double>(byLimit.size() - i));
        left -= byLimit[i]->share;
    }
}

void ServedOps::schedule()
{
    m_nextEndNs = Never;
    for (const ServedOp &served : m_ops) {
        const double ns = served.remainingNs / (served.share * m_speed);
        if (ns < LongestNs && m_updatedNs < LatestNs - roundedUp(ns))
            m_nextEndNs = std::min(m_nextEndNs, m_updatedNs + roundedUp(ns));
    }
}

} // namespace core
