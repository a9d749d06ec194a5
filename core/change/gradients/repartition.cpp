#include "core/change/gradients/repartition.h"

#include "core/change/graph_edits.h"
#include "core/change/infeasible.h"
#include "core/graph/build/queue_order.h"
#include "core/graph/graph_builder.h"
#include "core/measure/bounded_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

namespace {

    /// Collectives that carry one gradient, by what it is of and when it was ready (aligned).
    using SlicesOfGradients
        = std::map<std::pair<std::string_view, std::int64_t>, std::vector<std::size_t>>;

    SlicesOfGradients slicesOfGradients(const Graph &graph)
    {
        SlicesOfGradients slices;
        for (std::size_t i = 0; i < graph.collectives.size(); ++i) {
            const CollectiveNode &node = graph.collectives[i];
            if (isSliceOfGradient(graph, node)) {
                const OpId ready = node.parts.front().ready;
                slices[{ node.tensor, graph.measuredStartNs[ready.value] }].push_back(i);
            }
        }
        return slices;
    }

    /// What of gradients is needed first, lower is more urgent, by tensor.
    std::map<std::string_view, std::int32_t> urgencies(const Graph &graph,
                                                       const SlicesOfGradients &gradients)
    {
        std::vector<QueuedTransfer> transfers;
        transfers.reserve(gradients.size());
        for (const auto &[gradient, slices] : gradients) {
            const CollectiveNode &node = graph.collectives[slices.front()];
            transfers.push_back({ node.tensor, static_cast<std::int32_t>(node.iteration),
                                  gradient.second, graph.measuredStartNs[node.transfer.value] });
        }
        return tensorPriorities(transfers);
    }

    /// Slices on a link in one iteration, all sums.
    struct SliceSums
    {
        double count = 0, lineNs = 0;
        double bytes = 0, squares = 0; ///< on the wire of one rank
        double workNs = 0; ///< of recorded ones

        void add(double wireBytes, double nsPerByte)
        {
            ++count;
            bytes += wireBytes;
            squares += wireBytes * wireBytes;
            lineNs += wireBytes * nsPerByte;
        }
    };

    /// What a wanted slice takes.
    struct SliceTime
    {
        double nsPerByte = 0; ///< on the wire
        double idleNs = 0;
    };

    class Reslicer
    {
    public:
        Reslicer(const Graph &graph, const Trace &trace, const LinkModels &links, Schedule schedule,
                 const SliceLimits &limits, const JobControl &control)
            : m_graph(graph)
            , m_trace(trace)
            , m_links(links)
            , m_schedule(schedule)
            , m_limits(limits)
            , m_control(control)
            , m_builder(graph, {}, control)
        {
            std::vector<char> isReady(graph.size(), 0), isTransfer(graph.size(), 0);
            for (const CollectiveNode &node : graph.collectives) {
                isTransfer[node.transfer.value] = 1;
                for (const CollectiveNode::Part &part : node.parts)
                    isReady[part.ready.value] = 1;
            }
            throwIfCancelled(control);
            for (const GraphBuilder::EdgeSpec &edge : m_builder.edges()) {
                if (isReady[edge.to.value] != 0)
                    m_into[edge.to].push_back(edge);
                if (isTransfer[edge.from.value] != 0)
                    m_outOf[edge.from].emplace_back(edge.to, edge.kind);
            }
        }

        Graph rewrite()
        {
            const SlicesOfGradients gradients = slicesOfGradients(m_graph);
            checkOps(gradients);
            findTimes(gradients);
            if (m_schedule == Schedule::P3)
                m_urgencies = urgencies(m_graph, gradients);
            forgetFollowers(gradients);
            for (const auto &[gradient, slices] : gradients) {
                throwIfCancelled(m_control);
                cutAnew(slices);
            }
            setUpLinks();
            if (m_isCutOtherwise)
                m_builder.addNote("How long slices of another size wait for the other ranks is not "
                                  "in the recording: a part of it is taken to be as long for any "
                                  "size, the rest to go with the root of their bytes.");
            removeCollectives(m_dropped, m_builder);
            return m_builder.build(m_control);
        }

    private:
        void setUpLinks()
        {
            bool isOrderTaken = false;
            for (const DeviceId id : m_usedLinks) {
                Device &link = m_builder.device(id);
                isOrderTaken = isOrderTaken || link.discipline != Discipline::Priority;
                link.discipline
                    = m_schedule == Schedule::P3 ? Discipline::Priority : Discipline::Shared;
                link.creditBytes = m_limits.creditBytes;
            }
            if (m_schedule == Schedule::P3 && isOrderTaken)
                m_builder.addNote("Slices were sent in the order of readiness: which of them the "
                                  "next forward pass needs first is not recorded. It is taken to "
                                  "be the reverse of that order, as backward passes go through the "
                                  "layers from the last one to the first.");
        }

        /// Slices that were sent by priority are as urgent as they were.
        std::int32_t priorityOf(const CollectiveNode &node) const
        {
            if (m_schedule == Schedule::Fifo)
                return 0;
            const Device &link = m_graph.devices[m_graph.device[node.transfer.value].value];
            if (link.discipline == Discipline::Priority)
                return m_graph.priorityOf(node.transfer);
            // A tensor that the fullest iteration does not have is needed last.
            const auto known = m_urgencies.find(node.tensor);
            return known == m_urgencies.end() ? static_cast<std::int32_t>(m_urgencies.size())
                                              : known->second;
        }

        /// Each of a gradient's wanted slices has an arrival, a transfer, and ready ops; an edge to
        /// what waits for it counts as an op. What waits for some of the recorded slices does for
        /// as many bytes of the wanted ones, for one at least.
        void checkOps(const SlicesOfGradients &gradients) const
        {
            struct Gradient
            {
                double bytes = 0, opsOfSlice = 0;
                double followers = 0, awaitedBytes = 0; ///< by all of them
            };
            std::vector<Gradient> all;
            all.reserve(gradients.size());
            for (const auto &[gradient, slices] : gradients) {
                Gradient &added = all.emplace_back();
                std::set<Follower> followers;
                for (const std::size_t i : slices) {
                    const auto bytes = static_cast<double>(m_graph.collectives[i].bytes);
                    const auto own = followersOf(i);
                    followers.insert(own.begin(), own.end());
                    added.bytes += bytes;
                    added.awaitedBytes += bytes * static_cast<double>(own.size());
                }
                added.opsOfSlice
                    = static_cast<double>(2 + m_graph.collectives[slices.front()].parts.size());
                added.followers = static_cast<double>(followers.size());
            }
            const auto opsOf = [this, &all](std::uint64_t sliceBytes) {
                throwIfCancelled(m_control);
                const auto ofOne = static_cast<double>(sliceBytes);
                double ops = 0;
                for (const Gradient &gradient : all)
                    ops += std::ceil(gradient.bytes / ofOne) * gradient.opsOfSlice
                        + gradient.followers + gradient.awaitedBytes / ofOne;
                return ops;
            };
            checkOpsOfSlices(opsOf, m_limits);
        }

        std::uint64_t bytesOf(const std::vector<std::size_t> &slices) const
        {
            std::uint64_t bytes = 0;
            for (const std::size_t i : slices)
                bytes += m_graph.collectives[i].bytes;
            return bytes;
        }

        using Place = std::pair<DeviceId, std::int64_t>; // link, iteration

        Place placeOf(const std::vector<std::size_t> &slices) const
        {
            const CollectiveNode &node = m_graph.collectives[slices.front()];
            return { m_graph.device[node.transfer.value], node.iteration };
        }

        const LinkModel &modelAt(const std::vector<std::size_t> &slices) const
        {
            const LinkModel *model = modelOf(m_links, placeOf(slices).first,
                                             m_graph.collectives[slices.front()], m_trace);
            if (!model) // see reductionCostObstacle()
                throw Infeasible("Slices cannot be changed: no transfer of the trace tells what an "
                                 "all-reduce costs.");
            return *model;
        }

        std::vector<std::uint64_t> wantedBytes(const std::vector<std::size_t> &slices) const
        {
            std::uint64_t left = bytesOf(slices);
            std::vector<std::uint64_t> wanted;
            for (; left > 0; left -= wanted.back())
                wanted.push_back(std::min(left, m_limits.partitionBytes));
            return wanted;
        }

        SliceCost costOf(const LinkModel &model, DeviceId link, const SliceLimits &limits,
                         const SliceSums &sums) const
        {
            return costOfSlice(model, m_graph.devices[link.value], limits,
                               typicalBytes(sums.bytes, sums.squares));
        }

        /// The line idles for a slice, not for its bytes: in every part of a recording as long for
        /// each of the slices in it, large or small. By how much longer or shorter it idles for
        /// others is told of the mean slice. Where nothing is told of it, it goes with bytes.
        void findTimes(const SlicesOfGradients &gradients)
        {
            std::map<Place, SliceSums> recorded, wanted;
            std::map<Place, const LinkModel *> models;
            for (const auto &[gradient, slices] : gradients) {
                const Place place = placeOf(slices);
                const LinkModel &model = modelAt(slices);
                const double nsPerByte = costOf(model, place.first, {}, SliceSums {}).nsPerByte;
                models.emplace(place, &model);
                for (const std::size_t i : slices) {
                    const CollectiveNode &node = m_graph.collectives[i];
                    recorded[place].add(wireBytes(node, node.bytes, m_trace), nsPerByte);
                    recorded[place].workNs
                        += static_cast<double>(m_graph.durationNs[node.transfer.value]);
                }
                for (const std::uint64_t bytes : wantedBytes(slices))
                    wanted[place].add(
                        wireBytes(m_graph.collectives[slices.front()], bytes, m_trace), nsPerByte);
            }
            for (const auto &[place, model] : models)
                m_times[place] = timeOf(*model, place.first, recorded[place], wanted[place]);
        }

        SliceTime timeOf(const LinkModel &model, DeviceId link, const SliceSums &recorded,
                         const SliceSums &wanted) const
        {
            const SliceCost was = costOf(model, link, {}, recorded);
            const SliceCost is = costOf(model, link, m_limits, wanted);
            const double wasIdleNs = was.idleNs(recorded.lineNs / recorded.count);
            const double isIdleNs = is.idleNs(wanted.lineNs / wanted.count);
            const double restNs = recorded.workNs - recorded.lineNs;
            if (restNs <= 0 || wasIdleNs <= 0)
                return { recorded.workNs / std::max(1.0, recorded.bytes), 0 };
            return { was.nsPerByte, restNs / recorded.count * isIdleNs / wasIdleNs };
        }

        bool isCutOtherwise(const std::vector<std::size_t> &slices) const
        {
            const std::vector<std::uint64_t> wanted = wantedBytes(slices);
            return !std::equal(slices.begin(), slices.end(), wanted.begin(), wanted.end(),
                               [this](std::size_t i, std::uint64_t bytes) {
                                   return m_graph.collectives[i].bytes == bytes;
                               });
        }

        /// What waits for slices that are cut otherwise waits for others then.
        void forgetFollowers(const SlicesOfGradients &gradients)
        {
            std::vector<char> isCut(m_graph.size(), 0);
            for (const auto &[gradient, slices] : gradients)
                if (isCutOtherwise(slices))
                    for (const std::size_t i : slices)
                        isCut[m_graph.collectives[i].transfer.value] = 1;
            m_builder.removeEdges([&isCut](const GraphBuilder::EdgeSpec &edge) {
                return isCut[edge.from.value] != 0;
            });
        }

        void cutAnew(const std::vector<std::size_t> &slices)
        {
            const Place place = placeOf(slices);
            const SliceTime &time = m_times.at(place);
            m_usedLinks.insert(place.first);
            const std::vector<std::uint64_t> wanted = wantedBytes(slices);
            m_isCutOtherwise = m_isCutOtherwise || isCutOtherwise(slices);
            const std::int32_t priority = priorityOf(m_graph.collectives[slices.front()]);
            std::vector<OpId> transfers;
            for (std::size_t next = 0; next < wanted.size(); ++next) {
                throwIfCancelled(m_control);
                const std::size_t index = next < slices.size() ? slices[next] : addLike(slices);
                CollectiveNode &node = m_builder.collectives()[index];
                node.bytes = wanted[next];
                OpSpec &transfer = m_builder.op(node.transfer);
                transfer.bytes = wanted[next];
                transfer.durationNs = boundedNs(
                    time.nsPerByte * wireBytes(node, node.bytes, m_trace) + time.idleNs);
                transfer.priority = priority;
                transfers.push_back(node.transfer);
            }
            if (wanted.size() < slices.size())
                m_dropped.insert(slices.begin() + std::ptrdiff_t(wanted.size()), slices.end());
            if (isCutOtherwise(slices))
                addFollowers(slices, wanted, transfers);
        }

        /// What waited for a recorded slice waits for those that carry its bytes. An edge from each
        /// new slice to what waited for any would be as many as their number squared where each
        /// slice has an op of its own that waits for it.
        void addFollowers(const std::vector<std::size_t> &slices,
                          const std::vector<std::uint64_t> &wanted,
                          const std::vector<OpId> &transfers)
        {
            std::size_t next = 0;
            std::uint64_t begin = 0, wantedEnd = wanted.front(); // in the gradient
            for (const std::size_t i : slices) {
                const std::uint64_t end = begin + m_graph.collectives[i].bytes;
                const std::vector<Follower> &followers = followersOf(i);
                for (;;) {
                    for (const auto &[op, kind] : followers)
                        m_builder.addEdge(transfers[next], op, kind);
                    if (wantedEnd >= end)
                        break;
                    wantedEnd += wanted[++next];
                }
                if (wantedEnd == end && next + 1 < wanted.size())
                    wantedEnd += wanted[++next];
                begin = end;
            }
        }

        using Follower = std::pair<OpId, EdgeKind>;

        /// What waits for the slice, as recorded.
        const std::vector<Follower> &followersOf(std::size_t slice) const
        {
            static const std::vector<Follower> none;
            const auto out = m_outOf.find(m_graph.collectives[slice].transfer);
            return out == m_outOf.end() ? none : out->second;
        }

        /// Another slice of the same gradient.
        std::size_t addLike(const std::vector<std::size_t> &slices)
        {
            CollectiveNode node = m_builder.collectives()[slices.front()];
            const OpId arrival = addCopy(node.arrival), transfer = addCopy(node.transfer);
            m_builder.addEdge(arrival, transfer, EdgeKind::Collective);
            for (CollectiveNode::Part &part : node.parts) {
                const OpId ready = addCopy(part.ready);
                for (const GraphBuilder::EdgeSpec &edge : m_into[part.ready])
                    m_builder.addEdge(edge.from, ready, edge.kind);
                m_builder.addEdge(ready, arrival, EdgeKind::Collective);
                part.ready = ready;
                part.slice = NoSlice;
            }
            node.arrival = arrival;
            node.transfer = transfer;
            const std::size_t index = m_builder.collectives().size();
            node.sequence = index;
            m_builder.addCollective(std::move(node));
            return index;
        }

        OpId addCopy(OpId op)
        {
            OpSpec spec = m_builder.op(op);
            spec.slice = NoSlice;
            return m_builder.addOp(spec);
        }

        const Graph &m_graph;
        const Trace &m_trace;
        const LinkModels &m_links;
        Schedule m_schedule;
        SliceLimits m_limits;
        const JobControl &m_control;
        GraphBuilder m_builder;
        std::map<OpId, std::vector<GraphBuilder::EdgeSpec>> m_into; ///< of ready ops
        std::map<OpId, std::vector<Follower>> m_outOf; ///< of transfers, as recorded
        std::map<Place, SliceTime> m_times;
        std::map<std::string_view, std::int32_t> m_urgencies; ///< by tensor, of Schedule::P3
        std::set<DeviceId> m_usedLinks;
        std::set<std::size_t> m_dropped; ///< indices of recorded collectives
        bool m_isCutOtherwise = false;
    };

} // namespace

bool isSliceOfGradient(const Graph &graph, const CollectiveNode &node)
{
    return node.name == "all_reduce" && !node.tensor.empty() && node.bytes > 0
        && graph.devices[graph.device[node.transfer.value].value].isHostLink && !node.parts.empty();
}

bool sendsByPriority(const Graph &graph)
{
    return std::any_of(
        graph.collectives.begin(), graph.collectives.end(), [&graph](const CollectiveNode &node) {
            const Device &link = graph.devices[graph.device[node.transfer.value].value];
            return isSliceOfGradient(graph, node) && link.discipline == Discipline::Priority;
        });
}

bool isSentInSlices(const Graph &graph)
{
    const SlicesOfGradients slices = slicesOfGradients(graph);
    return graph.gradientSteps.empty()
        && std::any_of(slices.begin(), slices.end(),
                       [](const auto &entry) { return entry.second.size() > 1; });
}

Graph withOtherSlices(const Graph &graph, const Trace &trace, const LinkModels &links,
                      Schedule schedule, const SliceLimits &limits, const JobControl &control)
{
    return Reslicer(graph, trace, links, schedule, limits, control).rewrite();
}

} // namespace core
