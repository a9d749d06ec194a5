#pragma once

#include "core/graph/build/graph_context.h"
#include "core/model/ids.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// The ops that hand communication over to a CPU backend. They and the backend's calls are both in
/// the order in which they were queued.
class HandOffs
{
public:
    explicit HandOffs(const GraphContext &context);

    struct Call
    {
        std::string_view name;
        std::int64_t readyNs = 0; ///< aligned; handed over by then
    };
    /// By which op each of a worker's calls was handed over; empty where that is not recorded.
    /// `calls` are in order of time. Where a record of a call is lacking, which its iteration
    /// shows, that does not move the calls of other iterations.
    std::vector<std::optional<OpId>> of(WorkerId worker, const std::vector<Call> &calls) const;

private:
    struct HandOff
    {
        std::int64_t startNs = 0;
        OpId op;
    };
    using Key = std::pair<WorkerId, std::string>; // and the bare kind of communication

    const GraphContext &m_context;
    std::map<Key, std::vector<HandOff>> m_queued; ///< by time
};

} // namespace core
