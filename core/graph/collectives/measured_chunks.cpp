#include "core/graph/collectives/measured_chunks.h"

#include "core/align/message_matching.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>

namespace core {

namespace {

    constexpr std::size_t MessagesPerCheck = 4096; ///< between looks whether the job is cancelled

    /// Which parts of collectives a worker was in at a time.
    class PartsByTime
    {
    public:
        void add(std::size_t collective, std::size_t part, const TimeRange &range)
        {
            m_parts.push_back({ collective, part, range });
        }

        void sort()
        {
            std::sort(m_parts.begin(), m_parts.end(), [](const Entry &a, const Entry &b) {
                return a.range.startNs < b.range.startNs;
            });
            m_latestNs.assign(m_parts.size() / PartsOfBlock + 1,
                              std::numeric_limits<std::int64_t>::min());
            for (std::size_t i = 0; i < m_parts.size(); ++i)
                m_latestNs[i / PartsOfBlock]
                    = std::max(m_latestNs[i / PartsOfBlock], m_parts[i].range.endNs);
        }

        /// By collective: the part.
        std::map<std::size_t, std::size_t> at(std::int64_t ns) const
        {
            std::map<std::size_t, std::size_t> found;
            auto entry = std::upper_bound(
                m_parts.begin(), m_parts.end(), ns,
                [](std::int64_t time, const Entry &e) { return time < e.range.startNs; });
            for (auto i = static_cast<std::size_t>(entry - m_parts.begin()); i-- > 0;) {
                // One that lasts long has many behind it that have ended: these are left out by the
                // block.
                const std::size_t block = i / PartsOfBlock;
                if (m_latestNs[block] < ns)
                    i = block * PartsOfBlock;
                else if (m_parts[i].range.endNs >= ns)
                    found.emplace(m_parts[i].collective, m_parts[i].part);
            }
            return found;
        }

    private:
        struct Entry
        {
            std::size_t collective, part;
            TimeRange range;
        };
        static constexpr std::size_t PartsOfBlock = 64;

        std::vector<Entry> m_parts;
        std::vector<std::int64_t> m_latestNs; ///< by block of parts: the last end of one
    };

    class ChunkFinder
    {
    public:
        ChunkFinder(const Graph &graph, const Trace &trace)
            : m_graph(graph)
            , m_trace(trace)
            , m_slices(trace)
            , m_parts(trace.workers.size())
        {
            for (std::size_t i = 0; i < graph.collectives.size(); ++i)
                addParts(i);
            for (PartsByTime &parts : m_parts)
                parts.sort();
        }

        std::map<std::size_t, std::vector<RecordedChunk>> find(const JobControl &control)
        {
            std::vector<std::string> notes; // what has no other end is in the graph's already
            std::size_t looks = 0;
            for (const MatchedMessage &match : matchMessages(m_trace, notes, control)) {
                if (looks++ % MessagesPerCheck == 0)
                    throwIfCancelled(control);
                add(m_trace.transfers[match.sent], m_trace.transfers[match.received]);
            }
            for (const std::size_t collective : m_unclear)
                m_chunks.erase(collective);
            for (auto &[collective, chunks] : m_chunks)
                std::stable_sort(chunks.begin(), chunks.end(),
                                 [](const RecordedChunk &a, const RecordedChunk &b) {
                                     return a.range.startNs < b.range.startNs;
                                 });
            return std::move(m_chunks);
        }

    private:
        void addParts(std::size_t index)
        {
            const CollectiveNode &node = m_graph.collectives[index];
            for (std::size_t i = 0; i < node.parts.size(); ++i) {
                const CollectiveNode::Part &part = node.parts[i];
                m_ofParts.insert(part.slice.value);
                if (!node.isMessage && part.slice != NoSlice)
                    m_parts[part.worker.value].add(index, i, { part.startNs, part.endNs });
            }
        }

        TimeRange aligned(const TransferCall &end) const
        {
            return { m_trace.toAligned(end.worker, m_slices.startNs(end.slice)),
                     m_trace.toAligned(end.worker, m_slices.endNs(end.slice)) };
        }

        void add(const TransferCall &sent, const TransferCall &received)
        {
            if (m_ofParts.contains(sent.slice.value) || m_ofParts.contains(received.slice.value))
                return; // a message of its own
            const TimeRange send = aligned(sent), receive = aligned(received);
            RecordedChunk chunk;
            chunk.sent = sent.slice;
            chunk.channel = sent.channel.value_or(0);
            chunk.bytes = bytesOf(sent.slice);
            chunk.range.startNs = std::max(send.startNs, receive.startNs);
            chunk.range.endNs = std::max(chunk.range.startNs, receive.endNs);
            const auto senders = m_parts[sent.worker.value].at(send.startNs);
            const auto receivers = m_parts[received.worker.value].at(receive.endNs);
            std::vector<std::size_t> shared, named;
            for (const auto &[collective, part] : senders)
                if (receivers.contains(collective)) {
                    shared.push_back(collective);
                    if (isNamed(sent.transaction, m_graph.collectives[collective]))
                        named.push_back(collective);
                }
            const std::vector<std::size_t> &fitting = named.empty() ? shared : named;
            if (fitting.size() != 1) {
                m_unclear.insert(m_unclear.end(), fitting.begin(), fitting.end());
                return;
            }
            chunk.from = senders.at(fitting.front());
            chunk.to = receivers.at(fitting.front());
            m_chunks[fitting.front()].push_back(chunk);
        }

        /// "comm 9/AllReduce 3/0>1/step 5" names communicator 9 and its all-reduce number 3.
        static bool isNamed(const std::string &transaction, const CollectiveNode &node)
        {
            const std::string communicator = "comm " + node.group + "/";
            return !node.group.empty() && transaction.starts_with(communicator)
                && transaction.find(" " + std::to_string(node.sequence) + "/", communicator.size())
                != std::string::npos;
        }

        std::uint64_t bytesOf(SliceId slice) const
        {
            const auto place = m_slices.find(slice);
            return place ? m_trace.slices[place->track.value].bytes[place->row] : 0;
        }

        const Graph &m_graph;
        const Trace &m_trace;
        SliceIndex m_slices;
        std::vector<PartsByTime> m_parts; ///< by worker
        std::unordered_set<std::uint64_t> m_ofParts; ///< slices
        std::map<std::size_t, std::vector<RecordedChunk>> m_chunks;
        std::vector<std::size_t> m_unclear; ///< collectives
    };

} // namespace

std::map<std::size_t, std::vector<RecordedChunk>>
recordedChunks(const Graph &graph, const Trace &trace, const JobControl &control)
{
    if (trace.transfers.empty())
        return {};
    return ChunkFinder(graph, trace).find(control);
}

} // namespace core
