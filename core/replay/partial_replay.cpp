#include "core/replay/partial_replay.h"

#include <algorithm>
#include <unordered_map>

namespace core {

namespace {

    std::optional<std::uint32_t> indexOf(const std::vector<OpId> &ops, OpId op)
    {
        const auto found = std::lower_bound(ops.begin(), ops.end(), op);
        if (found == ops.end() || *found != op)
            return std::nullopt;
        return static_cast<std::uint32_t>(found - ops.begin());
    }

    /// The graph of some ops of another one, as far as a replay needs it.
    class PartOfGraph
    {
    public:
        PartOfGraph(const Graph &whole, const std::vector<OpId> &ops)
            : m_whole(whole)
        {
            m_part.predOffset.push_back(0);
            for (const OpId op : ops) {
                addTimes(op);
                addPredecessors(op, ops);
            }
            if (!whole.priority.empty())
                for (const OpId op : ops)
                    m_part.priority.push_back(whole.priority[op.value]);
            if (!whole.bytes.empty())
                for (const OpId op : ops)
                    m_part.bytes.push_back(whole.bytes[op.value]);
            if (!whole.rateLimit.empty())
                for (const OpId op : ops)
                    m_part.rateLimit.push_back(whole.rateLimit[op.value]);
            m_part.slowdown = m_whole.slowdown;
        }

        Graph take() { return std::move(m_part); }

    private:
        void addTimes(OpId op)
        {
            m_part.name.push_back(NameId(static_cast<std::uint32_t>(m_part.names.size())));
            m_part.names.push_back(m_whole.names[m_whole.name[op.value].value]);
            m_part.durationNs.push_back(m_whole.durationNs[op.value]);
            m_part.delayNs.push_back(m_whole.delayNs[op.value]);
            m_part.kind.push_back(m_whole.kind[op.value]);
            m_part.worker.push_back(m_whole.worker[op.value]);
            m_part.stretchShare.push_back(m_whole.stretchShare[op.value]);
            m_part.device.push_back(device(m_whole.device[op.value]));
        }

        void addPredecessors(OpId op, const std::vector<OpId> &ops)
        {
            for (const Edge &edge : m_whole.predecessors(op))
                if (const auto index = indexOf(ops, edge.op))
                    m_part.preds.push_back({ OpId(*index), edge.kind });
            m_part.predOffset.push_back(static_cast<std::uint32_t>(m_part.preds.size()));
        }

        DeviceId device(DeviceId whole)
        {
            const auto [it, isNew] = m_devices.try_emplace(
                whole.value, DeviceId(static_cast<std::uint32_t>(m_part.devices.size())));
            const DeviceId part = it->second;
            if (isNew) {
                m_part.devices.push_back(m_whole.devices[whole.value]);
                if (const auto link = m_whole.devices[whole.value].partOf) {
                    const DeviceId partOf = device(*link);
                    m_part.devices[part.value].partOf = partOf;
                }
            }
            return part;
        }

        const Graph &m_whole;
        Graph m_part;
        std::unordered_map<std::uint32_t, DeviceId> m_devices; ///< of the part, by whole's DeviceId
    };

} // namespace

std::int64_t PartialReplay::endNs(OpId op) const
{
    return result.endNs[indexOf(ops, op).value()];
}

PartialReplay replayPart(const Graph &graph, std::span<const OpId> ops, const JobControl &control)
{
    PartialReplay part;
    part.ops.assign(ops.begin(), ops.end());
    std::sort(part.ops.begin(), part.ops.end());
    part.ops.erase(std::unique(part.ops.begin(), part.ops.end()), part.ops.end());
    part.result = replay(PartOfGraph(graph, part.ops).take(), control);
    return part;
}

} // namespace core
