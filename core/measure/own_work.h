#pragma once

#include "core/graph/graph.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace core {

/// By OpId: which ops are a rank's own work, that a faster or slower rank changes: what streams and
/// threads do that compute or launch what streams do, and loading the input on any thread. Threads
/// that only poll (a backend's watchdog) wait most of the time. Where no rank computes, that is
/// what they do between transfers.
std::vector<bool> ownWork(const Graph &graph);

/// Durations and delays of each worker's own work together, over the whole graph, by WorkerId; 0 of
/// parameter servers. At most LatestNs, as a replay's clock.
std::vector<std::int64_t> ownWorkNs(const Graph &graph);

/// For how long each worker is at its own work, with the delays before its ops: on one of its
/// threads and streams or on several at once, so never for longer than its iterations take. Of a
/// graph with its measured times, by WorkerId; otherwise as ownWorkNs().
std::vector<std::int64_t> atWorkNs(const Graph &graph);

/// How many ranks have work of their own.
std::size_t ranksWithOwnWork(const Graph &graph);

/// How much longer each worker is at its own work (atWorkNs()) than the median worker, over the
/// whole graph in ns; negative where it is faster, 0 where it has none.
std::vector<std::int64_t> excessWorkNs(const Graph &graph);

/// Whose time the delay before an op is.
struct DelayParts
{
    NameId name; ///< of the outermost operation around the op, else the op's own
    std::int64_t gapNs = 0; ///< of the delay, before that begins; the rest is its own time
    NameId before = {}; ///< of the operation whose end the gap begins with; "" for none
};

/// What a rank's own time goes to.
enum class WorkKind : std::uint8_t {
    Device, ///< an accelerator's ops
    Host, ///< ops of threads
    Gap, ///< no operation runs
    Input ///< loading the input
};
inline constexpr std::array WorkKinds
    = { WorkKind::Device, WorkKind::Host, WorkKind::Gap, WorkKind::Input };

/// What is compared between ranks: the ops of one name, or the time between two in which no
/// operation runs. A sleep is not the work of the op that follows it.
struct WorkFamily
{
    NameId name;
    bool isGap = false;
    NameId before = {}; ///< of a gap: DelayParts::before
    WorkKind kind = WorkKind::Host;
    friend auto operator<=>(const WorkFamily &, const WorkFamily &) = default;
};

/// What a rank works itself on a family, over the whole graph.
struct WorkShare
{
    WorkerId worker;
    std::int64_t ns = 0;
};

/// Calls `visit` with each family of own work, in the order of their names, and the shares of the
/// workers that have it, by WorkerId. One family after the other: all of thousands of ranks would
/// take gigabytes. `delays` is by OpId.
void visitOwnWork(
    const Graph &graph, const std::vector<DelayParts> &delays,
    const std::function<void(const WorkFamily &, const std::vector<WorkShare> &)> &visit);

/// Calls `visit` with each part of own work that is of one family, and its time; those of a family
/// follow each other, within it by WorkerId. `delays` is by OpId.
void visitOwnParts(
    const Graph &graph, const std::vector<DelayParts> &delays,
    const std::function<void(OpId op, const WorkFamily &family, std::int64_t ns)> &visit);

/// The median of the positive values: of what those ranks do that work. 0 for none.
std::int64_t medianOfWorking(std::vector<std::int64_t> workNs);

/// The median over `ranks` ranks of which those without a value have 0.
std::int64_t medianOfRanks(std::vector<std::int64_t> valuesNs, std::size_t ranks);

/// The median of all values but one: what the other ranks take. Of an even number of them the upper
/// of the two in the middle: their mean may be far from both, and a rank that is like the slower
/// one is not slower than the others.
class OthersMedian
{
public:
    explicit OthersMedian(std::vector<std::int64_t> valuesNs);
    /// `ns` is one of the values. 0 where there is no other.
    std::int64_t without(std::int64_t ns) const;

private:
    std::vector<std::int64_t> m_sortedNs;
};

} // namespace core
