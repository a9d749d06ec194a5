#include "core/graph/build/exchange_ops.h"

#include "core/base/ranks_text.h"
#include "core/graph/build/message_links.h"
#include "core/graph/build/queue_order.h"
#include "core/graph/link_work.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace core {

namespace {

    class ExchangeAdder
    {
    public:
        ExchangeAdder(GraphContext &context, const std::vector<Exchange> &exchanges)
            : m_context(context)
            , m_exchanges(exchanges)
            , m_messageLinks(context, exchanges)
            , m_messageTimes(messageTimes(context, exchanges))
        {
        }

        void add()
        {
            m_transfers.reserve(m_exchanges.size());
            for (std::size_t i = 0; i < m_exchanges.size(); ++i)
                addOne(i);
            for (std::size_t i = 0; i < m_exchanges.size(); ++i)
                addHold(i);
            for (const auto &[link, indices] : m_onLink)
                setWork(link, indices);
            followRows();
        }

    private:
        void addOne(std::size_t index)
        {
            const Exchange &exchange = m_exchanges[index];
            CollectiveNode node;
            node.name = exchange.kind;
            node.group = exchange.group;
            node.isMessage = exchange.isMessage;
            node.tensor = exchange.tensor;
            node.algorithm = exchange.algorithm;
            node.statedRanks = exchange.statedRanks;
            node.sequence = exchange.sequence;
            std::int64_t lastStartNs = std::numeric_limits<std::int64_t>::min();
            std::int64_t lastEndNs = std::numeric_limits<std::int64_t>::min();
            for (const Exchange::Part &part : exchange.parts) {
                const TimeRange range = {
                    m_context.trace.toAligned(part.worker, m_context.slices.startNs(part.slice)),
                    m_context.trace.toAligned(part.worker, m_context.slices.endNs(part.slice))
                };
                node.bytes = std::max(node.bytes, part.bytes);
                node.parts.push_back({ part.worker, part.slice, range.startNs, range.endNs,
                                       m_context.opOfSlice(part.slice) });
                lastStartNs = std::max(lastStartNs, range.startNs);
                lastEndNs = std::max(lastEndNs, range.endNs);
            }
            if (exchange.isMessage)
                addOps(exchange, node, m_messageTimes[index].range);
            else
                addOps(exchange, node, { lastStartNs, std::max(lastStartNs, lastEndNs) });
        }

        void addOps(const Exchange &exchange, CollectiveNode &node, const TimeRange &transfer)
        {
            const OpSpec ready = m_context.builder.op(node.parts.front().ready);
            node.iteration = ready.iteration;
            OpSpec spec = ready;
            spec.slice = NoSlice;
            spec.kind = OpKind::Virtual;
            spec.durationNs = spec.delayNs = 0;
            spec.measuredStartNs = transfer.startNs;
            node.arrival = m_context.addOp(spec, transfer.startNs);
            spec.kind = OpKind::Communication;
            spec.device = linkOf(exchange, node, ready.slice);
            spec.slice = node.parts.front().slice;
            spec.durationNs = transfer.durationNs();
            node.transfer = m_context.addOp(spec, transfer.endNs);
            m_context.builder.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
            for (const CollectiveNode::Part &part : node.parts) {
                m_context.builder.addEdge(part.ready, node.arrival, EdgeKind::Collective);
                m_context.setTransferOf(part.ready, node.transfer);
            }
            if (exchange.isMessage)
                endSend(node, transfer);
            m_onLink[spec.device].push_back(m_transfers.size());
            m_transfers.push_back(node.transfer);
            m_context.builder.addCollective(node);
        }

        /// A send that returned before its transfer began left its data in a buffer. One that
        /// returned later is taken to end with the transfer: what of it was in buffers then had
        /// still to go through the link before the next message could.
        void endSend(const CollectiveNode &node, const TimeRange &transfer)
        {
            const CollectiveNode::Part &send = node.parts.front();
            if (send.endNs > transfer.startNs)
                return;
            OpSpec spec = m_context.builder.op(send.ready);
            spec.measuredStartNs = send.endNs;
            const OpId sent = m_context.addOp(spec, send.endNs);
            if (!m_context.builder.devices()[spec.device.value].isStream)
                m_context.workers[spec.worker.value].calls.push_back(sent);
            m_context.builder.addEdge(send.ready, sent, EdgeKind::Collective);
            m_context.setTransferOf(send.ready, sent);
        }

        void addHold(std::size_t index)
        {
            const auto heldBy = m_messageTimes[index].heldBy;
            if (heldBy)
                m_context.builder.addEdge(m_transfers[*heldBy],
                                          m_context.builder.collectives()[index].arrival,
                                          EdgeKind::Inferred);
        }

        const Track &trackOf(SliceId slice) const
        {
            return m_context.trace.tracks[m_context.slices.find(slice)->track.value];
        }

        std::string ranksOf(const CollectiveNode &node) const
        {
            std::vector<int> ranks;
            ranks.reserve(node.parts.size());
            for (const CollectiveNode::Part &part : node.parts)
                ranks.push_back(m_context.trace.workers[part.worker.value].rank);
            std::sort(ranks.begin(), ranks.end());
            return ranksText(ranks);
        }

        /// Named by its ranks: the source's names of groups ("51") say nothing to people.
        DeviceId linkOf(const Exchange &exchange, const CollectiveNode &node, SliceId slice)
        {
            const Track &track = trackOf(slice);
            const bool isBackend = track.kind == TrackKind::Communication;
            const std::string key = exchange.isMessage ? m_messageLinks.nameOf(exchange)
                : isBackend                            ? "network"
                                                       : "network " + node.group;
            const auto [it, isNew] = m_links.try_emplace(
                { key, isBackend || exchange.isMessage ? std::uint32_t { 0 } : track.id.value });
            if (isNew) {
                Device device;
                device.name = isBackend || exchange.isMessage
                    ? key
                    : "network of " + ranksOf(node) + ", " + track.name;
                device.worker = node.parts.front().worker;
                device.isLink = true;
                device.isHostLink = isBackend;
                device.discipline = Discipline::Shared;
                it->second = m_context.builder.addDevice(device);
            }
            return it->second;
        }

        /// Rows of one worker that carry the link's transfers: so many can be under way at once. Of
        /// messages those of all senders; a device's collectives are served one after the other.
        std::uint32_t capacityOf(DeviceId link, const std::vector<std::size_t> &indices) const
        {
            const bool isMessage = m_exchanges[indices.front()].isMessage;
            if (!isMessage && !m_context.builder.devices()[link.value].isHostLink)
                return 1;
            std::map<WorkerId, std::set<TrackId>> rows;
            for (const std::size_t index : indices) {
                const std::vector<Exchange::Part> &parts = m_exchanges[index].parts;
                for (std::size_t i = 0; i < (isMessage ? 1 : parts.size()); ++i)
                    rows[isMessage ? WorkerId(0) : parts[i].worker].insert(
                        trackOf(parts[i].slice).id);
            }
            std::size_t capacity = 1;
            for (const auto &[worker, ids] : rows)
                capacity = std::max(capacity, ids.size());
            return static_cast<std::uint32_t>(capacity);
        }

        /// Slices that were handed over in an order of the program's own, and wait in the backend.
        bool isQueued(const std::vector<std::size_t> &indices) const
        {
            return std::all_of(indices.begin(), indices.end(), [this](std::size_t index) {
                const Exchange &exchange = m_exchanges[index];
                return exchange.parts.front().readyNs.has_value()
                    && m_context.builder.collectives()[index].bytes > 0;
            });
        }

        void setWork(DeviceId link, const std::vector<std::size_t> &indices)
        {
            std::vector<TimeRange> intervals;
            for (const std::size_t index : indices) {
                const OpId op = m_transfers[index];
                intervals.push_back({ m_context.builder.op(op).measuredStartNs,
                                      m_context.measuredEndNs[op.value] });
            }
            m_context.builder.device(link).capacity = capacityOf(link, indices);
            if (isQueued(indices)) {
                setQueue(link, indices, intervals);
                return;
            }
            const std::vector<std::int64_t> work = unsharedWork(intervals);
            for (std::size_t i = 0; i < indices.size(); ++i)
                m_context.builder.op(m_transfers[indices[i]]).durationNs = work[i];
        }

        void setQueue(DeviceId link, const std::vector<std::size_t> &indices,
                      const std::vector<TimeRange> &intervals)
        {
            std::vector<std::uint64_t> bytes;
            std::vector<std::int64_t> readyNs;
            std::vector<QueuedTransfer> queued;
            for (std::size_t i = 0; i < indices.size(); ++i) {
                const Exchange &exchange = m_exchanges[indices[i]];
                const Exchange::Part &last = *std::max_element(
                    exchange.parts.begin(), exchange.parts.end(),
                    [](const Exchange::Part &a, const Exchange::Part &b) {
                        return a.readyNs < b.readyNs; // where there is none: first
                    });
                bytes.push_back(m_context.builder.collectives()[indices[i]].bytes);
                readyNs.push_back(last.readyNs.value());
                // The iteration is that of the rank itself: another one's may have ended before.
                queued.push_back({ exchange.tensor,
                                   m_context.iterationAt(last.worker, last.readyNs.value()),
                                   last.readyNs.value(), intervals[i].startNs });
            }
            const std::vector<std::int64_t> work
                = workByBytes(withHandOver(intervals, readyNs), bytes);
            const QueueOrder order = queueOrder(queued);
            Device &device = m_context.builder.device(link);
            device.capacity
                = servedAtOnce(intervals, workByBytes(intervals, bytes), device.capacity);
            if (order.isByPriority)
                device.discipline = Discipline::Priority;
            for (std::size_t i = 0; i < indices.size(); ++i) {
                OpSpec &op = m_context.builder.op(m_transfers[indices[i]]);
                op.durationNs = work[i];
                if (order.isByPriority)
                    op.priority = order.priorities[i];
            }
        }

        /// A thread or row makes its calls one after the other. The order of collectives is the
        /// link's.
        void followRows()
        {
            std::set<std::uint64_t> collectives;
            for (const Exchange &exchange : m_exchanges)
                if (!exchange.isMessage)
                    for (const Exchange::Part &part : exchange.parts)
                        collectives.insert(part.slice.value);
            for (std::uint32_t w = 0; w < m_context.workers.size(); ++w)
                followRowsOf(WorkerId(w), collectives);
        }

        void followRowsOf(WorkerId worker, const std::set<std::uint64_t> &collectives)
        {
            std::map<DeviceId, OpId> last;
            for (const OpId op : m_context.workers[worker.value].calls) {
                const OpSpec &spec = m_context.builder.op(op);
                if (m_context.opOfSlice(spec.slice) != op || collectives.contains(spec.slice.value))
                    continue;
                const auto [before, isFirst] = last.try_emplace(spec.device, op);
                if (isFirst)
                    continue;
                if (m_context.measuredEndNs[before->second.value] <= spec.measuredStartNs)
                    m_context.builder.addEdge(m_context.completion(before->second), op,
                                              EdgeKind::StreamOrder);
                before->second = op;
            }
        }

        GraphContext &m_context;
        const std::vector<Exchange> &m_exchanges;
        MessageLinks m_messageLinks;
        std::vector<MessageTime> m_messageTimes;
        std::vector<OpId> m_transfers; ///< by exchange
        std::map<std::pair<std::string, std::uint32_t>, DeviceId> m_links;
        std::map<DeviceId, std::vector<std::size_t>> m_onLink; ///< link -> exchanges
    };

} // namespace

void addExchanges(GraphContext &context, const std::vector<Exchange> &exchanges)
{
    ExchangeAdder(context, exchanges).add();
}

} // namespace core
