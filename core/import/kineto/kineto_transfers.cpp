#include "core/import/kineto/kineto_transfers.h"

#include "core/import/kineto/kineto_collectives.h"
#include "core/import/rank_limit.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/json_members.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace core {

namespace {

    std::string nameOf(const KinetoPeer &peer, int ownRank, std::uint64_t number)
    {
        const auto [from, to]
            = peer.isSend ? std::pair(ownRank, peer.rank) : std::pair(peer.rank, ownRank);
        return "group " + peer.group + '/' + std::to_string(from) + '>' + std::to_string(to)
            + "/number " + std::to_string(number);
    }

    /// "[0, 2]"; empty where the list is cut ("[0, 1, ...]") or is none.
    std::vector<int> ranksIn(std::string_view list)
    {
        std::vector<int> ranks;
        bool isWhole = true;
        const bool isList = json::forEachElement(list, [&](std::string_view element) {
            const auto rank = unsignedFrom(element);
            isWhole = isWhole && rank && *rank < RankLimit;
            if (isWhole)
                ranks.push_back(static_cast<int>(*rank));
        });
        return isList && isWhole ? ranks : std::vector<int>();
    }

    bool holds(std::span<const int> ranks, int rank)
    {
        return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
    }

    /// Ranks in the group's order; the event's own list, else the file's of that name which has
    /// the rank. Empty where there is none.
    std::span<const int> groupOf(const KinetoPeer &peer, int ownRank,
                                 const KinetoGroupRanks &groups)
    {
        if (!peer.groupRanks.empty())
            return peer.groupRanks;
        const auto [first, last] = groups.equal_range(peer.group);
        const auto found = std::find_if(
            first, last, [ownRank](const auto &group) { return holds(group.second, ownRank); });
        return found != last ? std::span<const int>(found->second) : std::span<const int>();
    }

    /// Whether the peer's number can only be one within its group.
    bool isLocal(const KinetoPeer &peer, int ownRank, std::span<const int> group)
    {
        return peer.rank == ownRank || (!group.empty() && !holds(group, peer.rank));
    }

    /// Gives the peer its rank in the job; false where it has none, or is the rank itself.
    bool makeGlobal(KinetoPeer &peer, int ownRank, std::span<const int> group)
    {
        const auto place = static_cast<std::size_t>(peer.rank);
        if (place >= group.size() || group[place] == ownRank)
            return false;
        peer.rank = group[place];
        return true;
    }

} // namespace

std::optional<KinetoPeer> kinetoPeer(const ChromeEvent &event)
{
    const std::string_view kind = collectiveKind(event.args.collectiveName);
    const bool isSend = kind == "send";
    if (!isSend && kind != "recv")
        return std::nullopt;
    std::optional<std::uint64_t> rank;
    std::vector<int> groupRanks;
    json::forEachMember(event.argsText, [&](std::string_view key, std::string_view value) {
        if (key == (isSend ? "Dst Rank" : "Src Rank"))
            rank = json::naturalIn(value);
        else if (key == "Process Group Ranks")
            groupRanks = ranksIn(json::unquoted(value));
    });
    if (!rank || *rank >= RankLimit)
        return std::nullopt;
    return KinetoPeer { isSend, static_cast<int>(*rank), cleanString(event.args.processGroup),
                        std::move(groupRanks) };
}

bool KinetoTransfers::hold(HeldTransfer transfer)
{
    const std::size_t size = sizeof(HeldTransfer) + transfer.text.size()
        + transfer.peer.groupRanks.size() * sizeof(int);
    if (m_heldBytes + size > m_mostBytes)
        return false;
    m_heldBytes += size;
    m_held.push_back(std::move(transfer));
    return true;
}

std::vector<HeldTransfer> KinetoTransfers::take(std::optional<int> fileRank,
                                                const KinetoGroupRanks &groups)
{
    m_heldBytes = 0;
    std::vector<HeldTransfer> transfers = std::exchange(m_held, {});
    std::stable_sort(
        transfers.begin(), transfers.end(),
        [](const HeldTransfer &a, const HeldTransfer &b) { return a.startNs < b.startNs; });
    bool areLocal = false;
    for (HeldTransfer &transfer : transfers)
        if (const auto own = transfer.ownRank ? transfer.ownRank : fileRank) {
            const std::span<const int> group = groupOf(transfer.peer, *own, groups);
            areLocal = areLocal || isLocal(transfer.peer, *own, group);
        }
    std::map<std::tuple<std::string, bool, int, int>, std::uint64_t> counts;
    for (HeldTransfer &transfer : transfers) {
        KinetoPeer &peer = transfer.peer;
        const std::optional<int> own = transfer.ownRank ? transfer.ownRank : fileRank;
        if (own && (!areLocal || makeGlobal(peer, *own, groupOf(peer, *own, groups))))
            transfer.transaction
                = nameOf(peer, *own, counts[{ peer.group, peer.isSend, peer.rank, *own }]++);
    }
    return transfers;
}

} // namespace core
