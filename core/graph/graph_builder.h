#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace core {

/// An op before it has its place in the topological order.
struct OpSpec
{
    NameId name;
    DeviceId device;
    OpKind kind = OpKind::Host;
    Phase phase = Phase::None;
    WorkerId worker;
    SliceId slice = NoSlice;
    std::int64_t durationNs = 0;
    std::int64_t delayNs = 0;
    std::int64_t measuredStartNs = 0; ///< aligned
    std::int32_t iteration = -1;
    float stretchShare = 0; ///< see Graph::stretchShare
    std::int32_t priority = 0; ///< lower is more urgent; see Graph::priority
    float rateLimit = 0; ///< see Graph::rateLimit
    std::uint64_t bytes = 0; ///< see Graph::bytes
};

/// An op of a graph, to be changed and added again.
OpSpec specOf(const Graph &graph, OpId op);

/// For what is added to a graph: without it, all that is there moves when it grows.
struct GraphRoom
{
    std::size_t ops = 0, edges = 0, collectives = 0;
};

/// Collects devices, ops, edges and collectives in any order and numbers the ops topologically
/// (ties by measured start, so that neighbours in time are neighbours in memory).
class GraphBuilder
{
public:
    explicit GraphBuilder(std::vector<std::string> names);
    /// Starts from an existing graph whose ops keep their order; used to rewrite it.
    /// Throws Cancelled.
    explicit GraphBuilder(const Graph &graph, const GraphRoom &more = {},
                          const JobControl &control = {});

    NameId intern(std::string_view name);
    DeviceId addDevice(Device device);
    Device &device(DeviceId id) { return m_devices[id.value]; }
    OpId addOp(const OpSpec &spec);
    void addEdge(OpId from, OpId to, EdgeKind kind);
    CollectiveNode &addCollective(CollectiveNode node);
    void addGradientStep(GradientStep step) { m_gradientSteps.push_back(std::move(step)); }
    /// See Graph::gradientMisfit.
    void setGradientMisfit(std::string misfit) { m_gradientMisfit = std::move(misfit); }
    void addPossibleWait(const PossibleWait &wait) { m_possibleWaits.push_back(wait); }
    void addNote(std::string note);
    void addFault(std::string fault); ///< see Graph::faults
    /// The virtual ops between which iterations are timed; see Graph::iterationBegins and
    /// iterationEnds.
    void setIterations(std::vector<OpId> begins, std::vector<OpId> ends, std::int32_t count);
    /// Takes the op out of the graph, with its edges. Collectives and gradient steps must no longer
    /// name it.
    void removeOp(OpId op) { m_isRemoved[op.value] = 1; }

    OpSpec &op(OpId id) { return m_ops[id.value]; }
    const OpSpec &op(OpId id) const { return m_ops[id.value]; }
    std::size_t size() const { return m_ops.size(); }
    const std::vector<Device> &devices() const { return m_devices; }
    std::vector<CollectiveNode> &collectives() { return m_collectives; }
    const std::vector<CollectiveNode> &collectives() const { return m_collectives; }
    std::vector<GradientStep> &gradientSteps() { return m_gradientSteps; }
    /// See Graph::keptIterations.
    void keepIterations(std::vector<std::int32_t> kept) { m_keptIterations = std::move(kept); }
    /// See Graph::positions.
    void setPositions(std::vector<std::uint32_t> positions) { m_positions = std::move(positions); }
    /// See Graph::standIns.
    void setStandIns(std::vector<WorkerId> standIns) { m_standIns = std::move(standIns); }

    struct EdgeSpec
    {
        OpId from, to;
        EdgeKind kind;
    };
    const std::vector<EdgeSpec> &edges() const { return m_edges; }
    template <class Predicate>
    void removeEdges(Predicate shouldRemove)
    {
        std::erase_if(m_edges, shouldRemove);
    }

    /// By OpId: whether the op is on a cycle of edges, or between two.
    std::vector<char> opsInCycles() const;

    /// Call last. Throws Error naming an op if the edges form a cycle; Cancelled. Duplicate edges
    /// are merged. `newIds` (by old OpId), where not null, tells where each op went.
    Graph build(const JobControl &control = {}, std::vector<OpId> *newIds = nullptr);

private:
    /// `order`: old ids.
    void setOps(const std::vector<OpId> &order, const JobControl &control, Graph &graph) const;
    /// All but ops and edges. `position`: new ids by old one.
    void moveRest(const std::vector<OpId> &position, Graph &graph);

    std::vector<std::string> m_names;
    std::unordered_map<std::string, NameId> m_added; ///< names added here, by text
    std::vector<Device> m_devices;
    std::vector<OpSpec> m_ops;
    std::vector<char> m_isRemoved; ///< by OpId
    std::vector<EdgeSpec> m_edges;
    std::vector<CollectiveNode> m_collectives;
    std::optional<NcclSystem> m_nccl;
    std::vector<std::string> m_notes, m_faults;
    std::vector<GradientStep> m_gradientSteps;
    std::string m_gradientMisfit;
    std::vector<PossibleWait> m_possibleWaits;
    std::vector<OpId> m_iterationBegins, m_iterationEnds;
    std::int32_t m_iterationCount = 0;
    std::vector<std::int32_t> m_keptIterations;
    std::vector<std::uint32_t> m_positions;
    std::vector<WorkerId> m_standIns;
    double m_slowdown = 1;
    bool m_isDriveBound = false;
};

} // namespace core
