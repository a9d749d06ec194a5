#include "core/change/chunks/expand_collectives.h"

#include "core/base/duration_text.h"
#include "core/change/chunks/chunk_plan.h"
#include "core/change/chunks/measured_chunks.h"
#include "core/change/chunks/planned_chunks.h"
#include "core/change/infeasible.h"
#include "core/fit/links/link_models.h"
#include "core/graph/collectives/measured_chunks.h"
#include "core/graph/graph_builder.h"
#include "core/measure/group_places.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t MostChunks = 1'000'000; ///< of a graph: half a gigabyte
    constexpr std::size_t MostOfCollective = 8192;

    /// What a graph has besides collectives proper: messages, whose ops are their SEND and RECV.
    bool isMessage(const CollectiveNode &node)
    {
        return node.isMessage;
    }

    /// An end of a member's link, and the channel that it is for, where that is recorded.
    using ChunkEnd = std::tuple<std::uint32_t, bool, std::optional<int>>;

    /// The member whose end of the link the chunk is on, and the other one.
    struct ChunkMembers
    {
        std::uint32_t member, peer;
    };

    ChunkMembers membersOf(const PlannedChunk &chunk)
    {
        return chunk.isHeldByReceiver ? ChunkMembers { chunk.to, chunk.from }
                                      : ChunkMembers { chunk.from, chunk.to };
    }

    ChunkEnd chunkEndOf(const PlannedChunk &chunk)
    {
        return { membersOf(chunk).member, chunk.isHeldByReceiver, chunk.channel };
    }

    class CollectiveExpander
    {
    public:
        CollectiveExpander(const Graph &graph, const Trace &trace, const LinkModels &links,
                           const LinkChanges &changes, const JobControl &control)
            : m_graph(graph)
            , m_trace(trace)
            , m_control(control)
            , m_builder(graph, {}, control)
            , m_wantsOther(changes.collective.has_value())
            , m_planner(trace, links, changes, mostOfEach(graph))
            , m_recorded(m_wantsOther ? Recorded {} : recordedChunks(graph, trace, control))
        {
        }

        Graph expand()
        {
            rankByUrgency();
            for (std::size_t i = 0; i < m_graph.collectives.size(); ++i) {
                throwIfCancelled(m_control);
                if (!isMessage(m_graph.collectives[i]))
                    expandOne(i);
            }
            releaseByOwnChunks();
            nameEnds();
            addNotes();
            return m_builder.build(m_control);
        }

    private:
        static std::size_t mostOfEach(const Graph &graph)
        {
            const auto messages = static_cast<std::size_t>(
                std::count_if(graph.collectives.begin(), graph.collectives.end(), isMessage));
            const std::size_t collectives = graph.collectives.size() - messages;
            return std::min(MostOfCollective, MostChunks / std::max<std::size_t>(1, collectives));
        }

        /// A link serves the chunks of the collective that it would have served first. Backends do
        /// not interrupt a collective for a more urgent one (nor do P3 and ByteScheduler, whose
        /// partitions are collectives): what has begun is more urgent than what has not.
        void rankByUrgency()
        {
            std::vector<std::tuple<std::int32_t, OpId, std::size_t>> order;
            for (std::size_t i = 0; i < m_graph.collectives.size(); ++i) {
                const OpId transfer = m_graph.collectives[i].transfer;
                const Device &link = m_graph.devices[m_graph.device[transfer.value].value];
                order.emplace_back(
                    link.discipline == Discipline::Priority ? m_graph.priorityOf(transfer) : 0,
                    transfer, i);
            }
            std::sort(order.begin(), order.end());
            m_urgency.resize(order.size());
            for (std::size_t place = 0; place < order.size(); ++place)
                m_urgency[std::get<2>(order[place])] = static_cast<std::int32_t>(place);
        }

        void expandOne(std::size_t index)
        {
            const CollectiveNode &node = m_graph.collectives[index];
            const GroupPlaces places = groupPlaces(node, m_trace);
            const PlannedCollective plan = planOf(index, places);
            if (plan.chunks.empty()) {
                ++m_kept;
                return;
            }
            const std::vector<OpId> chunks = addChunks(index, plan, places);
            connect(index, plan, places, chunks);
            finish(index, plan, places, chunks);
        }

        PlannedCollective planOf(std::size_t index, const GroupPlaces &places)
        {
            const CollectiveNode &node = m_graph.collectives[index];
            const std::int64_t spanNs = m_graph.durationNs[node.transfer.value];
            const std::int64_t delayNs = m_graph.delayNs[node.transfer.value];
            const auto recorded = m_recorded.find(index);
            if (recorded != m_recorded.end() && recorded->second.size() > MostOfCollective) {
                ++m_tooFine;
            } else if (recorded != m_recorded.end()) {
                const std::int64_t measuredNs = measuredTransfer(m_graph, node).durationNs();
                return plannedAsRecorded(node, places, recorded->second,
                                         measuredNs > 0 ? static_cast<double>(spanNs)
                                                 / static_cast<double>(measuredNs)
                                                        : 1,
                                         delayNs);
            }
            const DeviceId link = m_graph.device[node.transfer.value];
            const auto plan = m_planner.planOf(node, places, link);
            m_coarsened += plan->schedule.isCoarsened ? 1 : 0;
            if (!m_wantsOther && !node.algorithm.empty()
                && !collectiveAlgorithmNamed(node.algorithm))
                ++m_otherAlgorithms[node.algorithm];
            PlannedCollective planned = plan->planned(spanNs, delayNs);
            if (!m_wantsOther)
                stayAsRecorded(node, places, measuredTransfer(m_graph, node), planned);
            return planned;
        }

        std::vector<OpId> addChunks(std::size_t index, const PlannedCollective &plan,
                                    const GroupPlaces &places)
        {
            const CollectiveNode &node = m_graph.collectives[index];
            const OpSpec transfer = m_builder.op(node.transfer);
            std::vector<OpId> ops;
            ops.reserve(plan.chunks.size());
            std::set<ChunkEnd> begun;
            for (const PlannedChunk &chunk : plan.chunks) {
                const bool isFirst = begun.insert(chunkEndOf(chunk)).second && chunk.preds.empty();
                OpSpec spec = transfer;
                spec.slice = chunk.slice;
                spec.name = m_builder.intern(node.name + " " + memberName(node, chunk.from, places)
                                             + " > " + memberName(node, chunk.to, places) + ", "
                                             + chunk.label);
                spec.device = endOf(chunk, node, places);
                spec.worker = ownerOf(chunk, node, places);
                spec.durationNs = chunk.durationNs;
                spec.delayNs = chunk.delayNs;
                spec.measuredStartNs = transfer.measuredStartNs + chunk.offsetNs;
                spec.priority = m_urgency[index]
                    + (isFirst ? static_cast<std::int32_t>(m_urgency.size()) : 0);
                ops.push_back(m_builder.addOp(spec));
            }
            return ops;
        }

        /// The rank whose end of the link it is on. A parameter server is no rank: what is on its
        /// end is the other member's.
        static WorkerId ownerOf(const PlannedChunk &chunk, const CollectiveNode &node,
                                const GroupPlaces &places)
        {
            const auto [member, peer] = membersOf(chunk);
            return node.parts[places.parts[member < places.parts.size() ? member : peer]].worker;
        }

        /// A chunk needs what it carries, its end of the link, and that the ranks have come: both
        /// where it was recorded itself. What is planned divides a time that was measured from when
        /// the last rank had come, and so begins there.
        void connect(std::size_t index, const PlannedCollective &plan, const GroupPlaces &places,
                     const std::vector<OpId> &ops)
        {
            const CollectiveNode &node = m_graph.collectives[index];
            std::map<ChunkEnd, OpId> before;
            std::set<std::pair<ChunkEnd, std::uint32_t>> known; // ranks that have come
            for (std::size_t i = 0; i < ops.size(); ++i) {
                const PlannedChunk &chunk = plan.chunks[i];
                for (const std::uint32_t pred : chunk.preds)
                    m_builder.addEdge(ops[pred], ops[i], EdgeKind::Data);
                const ChunkEnd end = chunkEndOf(chunk);
                const auto [last, isFirst] = before.try_emplace(end, ops[i]);
                if (!isFirst)
                    m_builder.addEdge(std::exchange(last->second, ops[i]), ops[i],
                                      EdgeKind::StreamOrder);
                if (isFirst && !plan.beginsByPairs)
                    m_builder.addEdge(node.arrival, ops[i], EdgeKind::Collective);
                for (const std::uint32_t member : { chunk.from, chunk.to })
                    if (plan.beginsByPairs && member < places.parts.size()
                        && known.emplace(end, member).second)
                        m_builder.addEdge(node.parts[places.parts[member]].ready, ops[i],
                                          EdgeKind::Collective);
            }
        }

        /// Every rank is done with the last chunk on each end of a link that it has to do with, or
        /// with all chunks; the transfer becomes the end of all.
        void finish(std::size_t index, const PlannedCollective &plan, const GroupPlaces &places,
                    const std::vector<OpId> &ops)
        {
            CollectiveNode &node = m_builder.collectives()[index];
            OpSpec &transfer = m_builder.op(node.transfer);
            transfer.kind = OpKind::Virtual;
            transfer.durationNs = transfer.delayNs = 0;
            const OpSpec joined = transfer;
            std::vector<std::map<ChunkEnd, OpId>> last(places.parts.size());
            std::map<ChunkEnd, OpId> lastOfAll;
            for (std::size_t i = 0; i < ops.size(); ++i) {
                const PlannedChunk &chunk = plan.chunks[i];
                lastOfAll[chunkEndOf(chunk)] = ops[i];
                for (const std::uint32_t member : { chunk.from, chunk.to })
                    if (member < places.parts.size()) {
                        node.parts[places.parts[member]].chunks.push_back(ops[i]);
                        last[member][chunkEndOf(chunk)] = ops[i];
                    }
            }
            OpId all = NoOp; // for the ranks that have no chunk of their own
            for (std::size_t member = 0; member < last.size(); ++member) {
                CollectiveNode::Part &part = node.parts[places.parts[member]];
                if (last[member].empty() && all == NoOp) {
                    all = m_builder.addOp(joined);
                    for (const auto &[end, op] : lastOfAll)
                        m_builder.addEdge(op, all, EdgeKind::Collective);
                }
                OpSpec spec = joined;
                spec.slice = NoSlice;
                spec.worker = part.worker;
                spec.delayNs = plan.tailNs.empty() ? 0 : plan.tailNs[member];
                part.done = m_builder.addOp(spec);
                for (const auto &[end, op] : last[member])
                    m_builder.addEdge(op, part.done, EdgeKind::Collective);
                if (last[member].empty())
                    m_builder.addEdge(all, part.done, EdgeKind::Collective);
                m_builder.addEdge(part.ready, part.done, EdgeKind::Collective);
                m_builder.addEdge(part.done, node.transfer, EdgeKind::Collective);
                m_doneOf[{ node.transfer, part.worker }] = part.done;
            }
        }

        /// What waited for the transfer waits for its own rank's part.
        void releaseByOwnChunks()
        {
            std::vector<GraphBuilder::EdgeSpec> moved;
            const auto doneBefore = [this](const GraphBuilder::EdgeSpec &edge) {
                return m_doneOf.find({ edge.from, m_builder.op(edge.to).worker });
            };
            for (const GraphBuilder::EdgeSpec &edge : m_builder.edges())
                if (const auto done = doneBefore(edge); done != m_doneOf.end())
                    moved.push_back({ done->second, edge.to, edge.kind });
            m_builder.removeEdges([&](const GraphBuilder::EdgeSpec &edge) {
                return doneBefore(edge) != m_doneOf.end();
            });
            for (const GraphBuilder::EdgeSpec &edge : moved)
                m_builder.addEdge(edge.from, edge.to, edge.kind);
        }

        std::string memberName(const CollectiveNode &node, std::uint32_t member,
                               const GroupPlaces &places) const
        {
            if (member >= places.parts.size())
                return "server " + std::to_string(member - places.parts.size());
            const WorkerId worker = node.parts[places.parts[member]].worker;
            return std::to_string(m_trace.workers[worker.value].rank);
        }

        /// A link, the name of the member whose end of it that is, whether it receives there, and
        /// the channel where that is recorded.
        using EndKey = std::tuple<DeviceId, std::string, bool, std::optional<int>>;
        struct End
        {
            DeviceId device;
            std::set<std::string> peers;
        };

        DeviceId endOf(const PlannedChunk &chunk, const CollectiveNode &node,
                       const GroupPlaces &places)
        {
            const DeviceId link = m_graph.device[node.transfer.value];
            const auto [member, peer] = membersOf(chunk);
            const auto [it, isNew] = m_ends.try_emplace(EndKey {
                link, memberName(node, member, places), chunk.isHeldByReceiver, chunk.channel });
            End &end = it->second;
            end.peers.insert(memberName(node, peer, places));
            if (!isNew)
                return end.device;
            Device device = m_builder.devices()[link.value];
            device.worker = ownerOf(chunk, node, places);
            if (member >= places.parts.size())
                device.server = static_cast<std::uint32_t>(member - places.parts.size());
            device.discipline = Discipline::Priority;
            device.partOf = link;
            return end.device = m_builder.addDevice(std::move(device));
        }

        void nameEnds()
        {
            for (const auto &[key, end] : m_ends) {
                const auto &[link, member, isReceiving, channel] = key;
                const std::string peer = end.peers.size() == 1 ? *end.peers.begin() : "several";
                std::string &name = m_builder.device(end.device).name;
                name += isReceiving ? ", " + peer + " > " + member : ", " + member + " > " + peer;
                if (channel)
                    name += ", channel " + std::to_string(*channel);
            }
        }

        void addNotes()
        {
            if (m_coarsened > 0)
                m_builder.addNote(
                    countText(m_coarsened, "collective") + (m_coarsened == 1 ? " is" : " are")
                    + " shown in larger chunks than are sent: there would be more than "
                    + std::to_string(mostOfEach(m_graph)) + " of one.");
            if (m_tooFine > 0)
                m_builder.addNote(countText(m_tooFine, "collective")
                                  + (m_tooFine == 1 ? " was" : " were") + " recorded in more than "
                                  + std::to_string(MostOfCollective)
                                  + " chunks: planned ones are shown instead.");
            for (const auto &[algorithm, count] : m_otherAlgorithms)
                m_builder.addNote(countText(count, "collective") + " took NCCL's " + algorithm
                                  + ", whose steps are not known; rings or trees are shown "
                                    "instead.");
            if (m_kept > 0)
                m_builder.addNote(countText(m_kept, "collective")
                                  + (m_kept == 1 ? " stays" : " stay")
                                  + " one operation: how they are sent is not known, or there are "
                                    "too many ranks to show every chunk.");
        }

        using Recorded = std::map<std::size_t, std::vector<RecordedChunk>>; // by collective

        const Graph &m_graph;
        const Trace &m_trace;
        const JobControl &m_control;
        GraphBuilder m_builder;
        bool m_wantsOther; ///< the settings want an algorithm, whatever it was
        ChunkPlanner m_planner;
        Recorded m_recorded;
        std::vector<std::int32_t> m_urgency; ///< by collective, once it has begun
        std::map<EndKey, End> m_ends;
        std::map<std::pair<OpId, WorkerId>, OpId> m_doneOf; ///< by transfer and rank
        std::size_t m_coarsened = 0, m_tooFine = 0, m_kept = 0;
        std::map<std::string, std::size_t> m_otherAlgorithms; ///< whose steps are not known
    };

} // namespace

std::optional<std::string> chunkObstacle(const Graph &graph)
{
    if (std::all_of(graph.collectives.begin(), graph.collectives.end(), isMessage))
        return "no collective of several ranks is matched, so there are no chunks to show. Import "
               "the traces of all ranks.";
    return {};
}

Graph withChunks(const Graph &graph, const Trace &trace, const LinkModels &links,
                 const LinkChanges &changes, const JobControl &control)
{
    if (changes.worldSize)
        throw Infeasible("expand: the chunks of ranks that were not recorded are not known. Leave "
                         "world_size away.");
    return CollectiveExpander(graph, trace, links, changes, control).expand();
}

} // namespace core
