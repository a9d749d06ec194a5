#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/graph/graph_builder.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace core {

/// Puts ops behind others of a graph: Daydream's primitive "insert" (Zhu et al., ATC 2020, section
/// 4.3). Refers to `control`.
class Insertions
{
public:
    Insertions(const Graph &graph, const JobControl &control);

    NameId intern(std::string_view name) { return m_builder.intern(name); }
    DeviceId addDevice(Device device) { return m_builder.addDevice(std::move(device)); }

    /// Puts an op between `after` and what follows it, and returns it. At most one behind each.
    OpId add(OpId after, OpSpec op);
    /// The same of what follows on the op's own rank, other than links. At most one of each rank.
    OpId addForRank(OpId after, OpSpec op);
    /// An op that was added.
    OpSpec &op(OpId added) { return m_builder.op(added); }

    /// The graph with all of them. Call last. Throws Cancelled.
    Graph build();

private:
    struct Inserted
    {
        OpId op;
        bool isForRank = false;
    };

    OpId insert(OpId after, OpSpec op, bool isForRank);
    OpId behind(const GraphBuilder::EdgeSpec &edge) const;

    const JobControl &m_control;
    GraphBuilder m_builder;
    std::unordered_map<OpId, std::vector<Inserted>> m_behind; ///< by op
};

} // namespace core
