#pragma once

#include "core/graph/graph.h"
#include "core/model/category.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace core {

/// Kind of device that a lane of a drawn graph stands for.
enum class LaneKind : std::uint8_t { Stream, Communication, Host, Link };

/// An op where it is drawn. Times are those of the replay.
struct LaneOp
{
    OpId op; ///< of a collective on a link its transfer
    std::int64_t startNs = 0, endNs = 0;
    /// First part of a rank's share of a collective, in which it waits for other ranks; else 0.
    std::int64_t waitNs = 0;
    std::uint32_t collective = NoCollective; ///< index into Graph::collectives
    bool isCopyOut = false; ///< copies a reduced gradient out of its bucket

    static constexpr std::uint32_t NoCollective = std::numeric_limits<std::uint32_t>::max();
};

/// A row of a drawn graph: a device with its ops, as in the timeline.
struct Lane
{
    std::string name; ///< "stream 7"
    std::string group; ///< "rank 0", "ranks 1-63 (alike)", "links"
    LaneKind kind = LaneKind::Host;
    bool isShared = false; ///< a link, or a parameter server's: no rank's own
    WorkerId worker;
    DeviceId device;
    std::vector<LaneOp> ops; ///< by start
};

enum class BlockKind : std::uint8_t {
    Phase, ///< consecutive ops of a phase
    Layer, ///< one of several repetitions of the same ops
    Op,
    Part, ///< what a rank does of a collective: it waits, then the transfer runs
    Transfer ///< a collective or message on its link
};

/// A node of a drawn graph: consecutive ops of one lane.
struct Block
{
    std::uint32_t lane = 0;
    std::uint32_t first = 0, count = 0; ///< of Lane::ops
    BlockKind kind = BlockKind::Op;
    Role role = Role::Host;
    std::int64_t startNs = 0, endNs = 0, waitNs = 0;
    std::int64_t busyNs = 0; ///< what its ops take
    std::uint64_t bytes = 0; ///< of a collective
    std::string name; ///< "backward", "layer 3/12", "aten::addmm", "all_reduce"
    std::string detail; ///< of a collective the tensor, where it is known

    /// It can be opened: there is something in it.
    bool hasInner() const { return count > 1; }
    std::int64_t durationNs() const { return endNs - startNs; }
};

/// "backward", "all_reduce 20.4 MiB", "send_recv 16 MiB classifier.0.weight".
std::string titleOf(const Block &block);

/// As much of the title as fits into `width`: the detail goes first, then the end of the name, then
/// the name; the size stays. Empty where hardly anything fits. `widthOf` measures a text (UTF-8).
std::string titleWithin(const Block &block, double width,
                        const std::function<double(const std::string &)> &widthOf);

} // namespace core
