#include "core/graph/framework/framework_edges.h"

#include "core/graph/node_places.h"
#include "core/graph/op_names.h"

#include <algorithm>
#include <map>

namespace core {

namespace {

    struct FrameworkCounts
    {
        std::uint64_t dependencies = 0; ///< of kind Data
        std::uint64_t joined = 0; ///< both ends are on the timeline
        std::uint64_t contradicted = 0;
        std::uint64_t edges = 0;
    };

    /// The ops of one lane (a thread or stream of the worker) are in order of time, so of several
    /// that something waits for the latest suffices.
    using LatestByLane = std::map<DeviceId, OpId>;

    /// What a node of the framework became.
    struct NodeOps
    {
        TrackId track;
        TimeRange range; ///< aligned
        OpId firstHost = NoOp, lastHost = NoOp;
        LatestByLane launched; ///< last op of each stream
        LatestByLane firstLaunched;
    };

    /// Joins one worker.
    class Joiner
    {
    public:
        Joiner(GraphContext &context, WorkerId worker,
               const std::unordered_map<std::uint32_t, std::vector<OpId>> &launchedBy,
               const OpNames &names)
            : m_context(context)
            , m_names(names)
            , m_worker(worker)
            , m_launchedBy(launchedBy)
        {
            for (const std::vector<OpId> &thread : context.workers[worker.value].threads)
                m_threads[deviceOf(thread.front()).track] = &thread;
        }

        FrameworkCounts join(std::span<const DependencyEdge> edges)
        {
            const NodePlaces places(m_context.trace,
                                    m_context.tracks.of(m_worker, TrackKind::HostThread), edges);
            if (isOfOtherProgram(places))
                return {};
            std::vector<DependencyEdge> data = innermostReads(places, edges);
            std::sort(data.begin(), data.end(), [](const auto &a, const auto &b) {
                return std::tie(a.to, a.from) < std::tie(b.to, b.from);
            });
            for (auto begin = data.begin(); begin != data.end();) {
                const auto end = std::find_if(
                    begin, data.end(), [begin](const auto &edge) { return edge.to != begin->to; });
                addReader(places, { begin, end });
                begin = end;
            }
            return m_counts;
        }

    private:
        const Device &deviceOf(OpId op) const
        {
            return m_context.builder.devices()[m_context.builder.op(op).device.value];
        }

        bool isOfOtherProgram(const NodePlaces &places)
        {
            const OpNameCheck names = m_names.check(m_worker, places);
            if (!names.isOfOtherProgram())
                return false;
            m_context.builder.addNote(
                "The execution trace of rank "
                + std::to_string(m_context.trace.workers[m_worker.value].rank)
                + " is of another program or run than its timeline, and is not joined to it: of "
                + std::to_string(names.compared) + " ops of equal number "
                + std::to_string(names.same) + " have the same name ('" + names.there
                + "' there is '" + names.here
                + "' here). Record both in one run, and import them together.");
            return true;
        }

        /// The Data edges with both ends on the timeline. An op that contains a reader of the same
        /// writer is left out: what it launches first may be something else.
        std::vector<DependencyEdge> innermostReads(const NodePlaces &places,
                                                   std::span<const DependencyEdge> edges)
        {
            struct Read
            {
                DependencyEdge edge;
                SliceIndex::Place reader;
            };
            std::vector<Read> reads;
            for (const DependencyEdge &edge : edges) {
                if (edge.kind != DependencyKind::Data)
                    continue;
                ++m_counts.dependencies;
                const auto reader = places.find(edge.to);
                if (reader && places.find(edge.from))
                    reads.push_back({ edge, *reader });
            }
            m_counts.joined = reads.size();
            std::sort(reads.begin(), reads.end(), [](const Read &a, const Read &b) {
                return std::tie(a.edge.from, a.reader.track, a.reader.row)
                    < std::tie(b.edge.from, b.reader.track, b.reader.row);
            });
            std::vector<DependencyEdge> innermost;
            for (std::size_t i = 0; i < reads.size(); ++i) {
                const SliceIndex::Place &place = reads[i].reader;
                const SliceColumns &slices = m_context.trace.slices[place.track.value];
                const bool isOuter = i + 1 < reads.size()
                    && reads[i + 1].edge.from == reads[i].edge.from
                    && reads[i + 1].reader.track == place.track
                    && slices.startNs[reads[i + 1].reader.row] < slices.endNs(place.row);
                if (!isOuter)
                    innermost.push_back(reads[i].edge);
            }
            return innermost;
        }

        /// Null if the node is not on the timeline or has no op there.
        NodeOps *opsOf(const NodePlaces &places, std::uint64_t node)
        {
            const auto [known, isNew] = m_nodes.try_emplace(node);
            if (isNew) {
                if (const auto place = places.find(node))
                    known->second = opsAt(*place);
            }
            return known->second ? &*known->second : nullptr;
        }

        std::optional<NodeOps> opsAt(const SliceIndex::Place &place) const
        {
            const auto thread = m_threads.find(place.track);
            if (thread == m_threads.end())
                return std::nullopt;
            const SliceColumns &slices = m_context.trace.slices[place.track.value];
            NodeOps ops;
            ops.track = place.track;
            ops.range = { m_context.trace.toAligned(m_worker, slices.startNs[place.row]),
                          m_context.trace.toAligned(m_worker, slices.endNs(place.row)) };
            const std::vector<OpId> &all = *thread->second;
            const auto first = std::partition_point(all.begin(), all.end(), [&](OpId op) {
                return m_context.measuredEndNs[op.value] <= ops.range.startNs;
            });
            const auto end = std::partition_point(first, all.end(), [&](OpId op) {
                return m_context.builder.op(op).measuredStartNs < ops.range.endNs;
            });
            if (first == end)
                return std::nullopt;
            ops.firstHost = *first;
            ops.lastHost = *(end - 1);
            for (auto host = first; host != end; ++host)
                addLaunched(ops, *host);
            return ops;
        }

        void addLaunched(NodeOps &ops, OpId host) const
        {
            const auto launched = m_launchedBy.find(host.value);
            if (launched == m_launchedBy.end())
                return;
            for (const OpId op : launched->second) {
                const DeviceId lane = m_context.builder.op(op).device;
                ops.firstLaunched.try_emplace(lane, op);
                ops.launched[lane] = op;
            }
        }

        /// `edges` end at one node and come after those of the nodes that they begin at.
        void addReader(const NodePlaces &places, std::span<const DependencyEdge> edges)
        {
            NodeOps *reader = opsOf(places, edges.front().to);
            if (reader == nullptr)
                return;
            LatestByLane hosts, kernels;
            for (const DependencyEdge &edge : edges) {
                const NodeOps *writer = opsOf(places, edge.from);
                if (writer == nullptr)
                    continue;
                if (writer->track != reader->track)
                    keepLatest(hosts, writer->lastHost);
                for (const auto &[lane, op] : writer->launched)
                    keepLatest(kernels, op);
            }
            for (const auto &[lane, op] : hosts)
                addEdge(op, reader->firstHost);
            for (const auto &[lane, first] : reader->firstLaunched) {
                for (const auto &[writerLane, last] : kernels) {
                    if (writerLane != lane)
                        addEdge(last, first);
                }
            }
            if (reader->launched.empty())
                reader->launched = std::move(kernels);
        }

        void keepLatest(LatestByLane &latest, OpId op) const
        {
            const auto [known, isNew] = latest.try_emplace(m_context.builder.op(op).device, op);
            if (!isNew
                && m_context.measuredEndNs[op.value] > m_context.measuredEndNs[known->second.value])
                known->second = op;
        }

        void addEdge(OpId from, OpId to)
        {
            const OpId completed = m_context.completion(from);
            if (m_context.measuredEndNs[completed.value]
                > m_context.builder.op(to).measuredStartNs + ClockRoundingNs) {
                ++m_counts.contradicted;
                return;
            }
            m_context.builder.addEdge(completed, to, EdgeKind::Framework);
            ++m_counts.edges;
        }

        GraphContext &m_context;
        const OpNames &m_names;
        WorkerId m_worker;
        const std::unordered_map<std::uint32_t, std::vector<OpId>> &m_launchedBy;
        std::unordered_map<TrackId, const std::vector<OpId> *> m_threads;
        std::unordered_map<std::uint64_t, std::optional<NodeOps>> m_nodes;
        FrameworkCounts m_counts;
    };

    /// Device ops by the host op that launched them, in the order of launching.
    std::unordered_map<std::uint32_t, std::vector<OpId>> launchedOps(const GraphContext &context)
    {
        std::unordered_map<std::uint32_t, std::vector<OpId>> launched;
        for (const auto &edge : context.builder.edges()) {
            if (edge.kind == EdgeKind::Launch)
                launched[edge.from.value].push_back(edge.to);
        }
        return launched;
    }

    void addFrameworkNotes(GraphBuilder &builder, const FrameworkCounts &all)
    {
        if (all.dependencies == 0)
            return;
        builder.addNote(std::to_string(all.joined) + " of " + std::to_string(all.dependencies)
                        + " data dependencies of the framework's own graph are between recorded "
                          "ops; "
                        + std::to_string(all.edges)
                        + " of their edges are not implied by the order of threads and streams.");
        if (all.joined == 0)
            builder.addNote("The execution trace and the timeline could not be joined: record both "
                            "over the same iterations, with a PyTorch that writes the record "
                            "function id (2.3 or newer).");
        if (all.contradicted > 0)
            builder.addNote(std::to_string(all.contradicted)
                            + " data dependencies of the framework's own graph were left out: the "
                              "recorded times contradict them.");
    }

} // namespace

void addFrameworkEdges(GraphContext &context, const JobControl &control)
{
    if (context.trace.dependencies.empty())
        return;
    const auto launched = launchedOps(context);
    const OpNames names(context.trace);
    const auto edges = nodeEdges(context.trace);
    FrameworkCounts all;
    for (std::uint32_t worker = 0; worker < edges.size(); ++worker) {
        throwIfCancelled(control);
        const FrameworkCounts counts
            = Joiner(context, WorkerId(worker), launched, names).join(edges[worker]);
        all.dependencies += counts.dependencies;
        all.joined += counts.joined;
        all.contradicted += counts.contradicted;
        all.edges += counts.edges;
    }
    addFrameworkNotes(context.builder, all);
}

} // namespace core
