#pragma once

#include "core/import/chrome/chrome_event.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The other end of a NCCL kernel that sends to one rank or receives from one.
struct KinetoPeer
{
    bool isSend = false;
    int rank = 0; ///< in the whole job or in the group, as PyTorch writes it
    std::string group; ///< process group, as written
    std::vector<int> groupRanks; ///< in the group's order; empty where the event does not list all
};

/// Ranks of each process group of a file, in the group's order; several may have one name.
using KinetoGroupRanks = std::multimap<std::string, std::vector<int>, std::less<>>;

/// Absent for every event but a single send or receive (batched ones are one `coalesced` kernel
/// without a peer).
std::optional<KinetoPeer> kinetoPeer(const ChromeEvent &event);

/// A send or receive with what the importer needs to give it to the sink later.
struct HeldTransfer
{
    std::int64_t startNs = 0, durationNs = 0;
    std::uint64_t offset = 0; ///< of the event in the file
    std::string text; ///< the whole event, padded for scanning
    KinetoPeer peer;
    std::optional<int> ownRank; ///< where a label states it
    std::string transaction; ///< set by take(); empty without the own rank
};

/// Keeps the sends and receives of one file until the last is known. Both ends of a transfer have
/// to find one name for it, and `Seq` cannot be that: it counts a process's transfers with all its
/// peers. So a transfer is the n-th between its two ranks in its group, by start time (files are
/// not sorted), and that needs the file's own rank, which may be written after the events.
///
/// PyTorch's versions write the peer's rank in the job or in the group. A number that is none of
/// the group's ranks, or is the file's own, can only be the latter: then all of the file are.
class KinetoTransfers
{
public:
    /// mostBytes: that it may hold.
    explicit KinetoTransfers(std::size_t mostBytes)
        : m_mostBytes(mostBytes)
    {
    }
    /// False if too much is held already: `transfer` was not taken.
    bool hold(HeldTransfer transfer);
    /// All transfers by start time, with their names; none are left. `fileRank`
    /// is that of transfers without a stated rank. A peer that cannot be is told by an empty name.
    std::vector<HeldTransfer> take(std::optional<int> fileRank, const KinetoGroupRanks &groups);

private:
    const std::size_t m_mostBytes;
    std::vector<HeldTransfer> m_held;
    std::size_t m_heldBytes = 0;
};

} // namespace core
