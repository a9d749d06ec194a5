#pragma once

#include "core/graph/build/exchanges.h"
#include "core/graph/build/graph_context.h"

#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace core {

/// Whether a host slice only waits ("wait for fc.weight").
bool isWaitingName(std::string_view name);
/// What it waits for: "fc.weight".
std::string_view awaitedName(std::string_view name);

/// The host ops that a program records by the tensor that they are about: "UPDATE fc.weight".
class TensorOps
{
public:
    /// Of the tensors that `exchanges` carry; they must outlive this.
    TensorOps(const GraphContext &context, const std::vector<Exchange> &exchanges);

    /// By when they ended; those that only wait are left out.
    const std::vector<OpId> &of(WorkerId worker, std::string_view tensor) const;
    /// Whether the op is one of them.
    bool contains(OpId op) const { return m_known.contains(op); }
    /// The one that ended last by `ns`, but for a clock's rounding; it began before `startNs`.
    std::optional<OpId> lastBy(WorkerId worker, std::string_view tensor, std::int64_t ns,
                               std::int64_t startNs) const;

private:
    const GraphContext &m_context;
    std::map<std::pair<WorkerId, std::string_view>, std::vector<OpId>> m_ops;
    std::unordered_set<OpId> m_known;
};

/// Finds what a call of a backend had to wait for before it could be made: the op about its tensor
/// (a server's update); of a worker's sends the gradient, where as many gradients as sends are in
/// the iteration, in their order.
class Producers
{
public:
    Producers(const GraphContext &context, const std::vector<Exchange> &exchanges,
              const TensorOps &tensorOps);

    /// Of the part of an exchange; empty where nothing is known.
    std::optional<OpId> of(SliceId slice) const;

private:
    void addUpdates(const std::vector<Exchange> &exchanges, const TensorOps &tensorOps);
    void addGradients(const std::vector<Exchange> &exchanges);

    const GraphContext &m_context;
    std::map<std::uint64_t, OpId> m_producers; ///< by slice
};

} // namespace core
