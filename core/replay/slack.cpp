#include "core/replay/slack.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace core {

namespace {

    constexpr std::int64_t NoLimit = std::numeric_limits<std::int64_t>::max();

} // namespace

Slack::Slack(const Graph &graph, const ReplayResult &result)
    : m_graph(graph)
    , m_result(result)
    , m_order(graph.size())
    , m_place(graph.size())
    , m_before(graph.size(), NoOp)
    , m_heldFromNs(graph.size(), 0)
    , m_ns(graph.size(), NoLimit)
{
    std::iota(m_order.begin(), m_order.end(), 0U);
    std::sort(m_order.begin(), m_order.end(), [&result](std::uint32_t a, std::uint32_t b) {
        return std::tie(result.endNs[a], result.startNs[a], a)
            < std::tie(result.endNs[b], result.startNs[b], b);
    });
    for (std::uint32_t i = 0; i < m_order.size(); ++i)
        m_place[m_order[i]] = i;
    linkDevices();
}

bool Slack::isSerial(std::size_t device) const
{
    const Device &d = m_graph.devices[device];
    return d.discipline == Discipline::Fifo || (d.capacity <= 1 && !d.preempts);
}

void Slack::linkDevices()
{
    std::vector<OpId> later(m_graph.devices.size(), NoOp);
    for (auto it = m_order.rbegin(); it != m_order.rend(); ++it) {
        const std::uint32_t op = *it;
        if (m_graph.kind[op] == OpKind::Virtual)
            continue; // it takes no device
        const std::size_t device = m_graph.device[op].value;
        const OpId next = later[device];
        m_heldFromNs[op] = m_result.startNs[op];
        if (next != NoOp) {
            m_before[next.value] = OpId(op);
            if (!isSerial(device) && m_heldFromNs[next.value] <= m_result.endNs[op])
                m_heldFromNs[op] = std::min(m_heldFromNs[op], m_heldFromNs[next.value]);
        }
        later[device] = OpId(op);
    }
}

std::vector<Slack::Entry> Slack::before(OpId last, std::int64_t fromNs)
{
    std::vector<Entry> entries;
    m_ns[last.value] = 0;
    for (std::size_t i = m_place[last.value] + std::size_t { 1 }; i-- > 0;) {
        const std::uint32_t op = m_order[i];
        const std::int64_t ns = std::exchange(m_ns[op], NoLimit); // nothing before it changes it
        if (m_result.endNs[op] <= fromNs)
            break;
        if (ns == NoLimit)
            continue;
        entries.push_back({ OpId(op), ns });
        const auto limit = [&](OpId earlier, std::int64_t spareNs) {
            if (m_result.endNs[earlier.value] > fromNs)
                m_ns[earlier.value] = std::min(m_ns[earlier.value], ns + spareNs);
        };
        const std::int64_t readyNs = m_result.startNs[op] - m_graph.delayNs[op];
        for (const Edge &edge : m_graph.predecessors(OpId(op)))
            limit(edge.op, readyNs - m_result.endNs[edge.op.value]);
        if (const OpId before = m_before[op]; before != NoOp)
            limit(before,
                  std::max<std::int64_t>(0, m_heldFromNs[op] - m_result.endNs[before.value]));
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry &a, const Entry &b) { return a.op < b.op; });
    return entries;
}

} // namespace core
