#include "core/import/kineto/kineto_transfers.h"

#include "core/import/kineto/kineto_collectives.h"
#include "core/import/rank_limit.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/json_members.h"

#include <algorithm>
#include <map>
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

} // namespace

std::optional<KinetoPeer> kinetoPeer(const ChromeEvent &event)
{
    const std::string_view kind = collectiveKind(event.args.collectiveName);
    const bool isSend = kind == "send";
    if (!isSend && kind != "recv")
        return std::nullopt;
    std::optional<std::uint64_t> rank;
    json::forEachMember(event.argsText, [&](std::string_view key, std::string_view value) {
        if (key == (isSend ? "Dst Rank" : "Src Rank"))
            rank = json::naturalIn(value);
    });
    if (!rank || *rank >= RankLimit)
        return std::nullopt;
    return KinetoPeer { isSend, static_cast<int>(*rank), cleanString(event.args.processGroup) };
}

bool KinetoTransfers::hold(HeldTransfer transfer)
{
    const std::size_t size = sizeof(HeldTransfer) + transfer.text.size();
    if (m_heldBytes + size > m_mostBytes)
        return false;
    m_heldBytes += size;
    m_held.push_back(std::move(transfer));
    return true;
}

std::vector<HeldTransfer> KinetoTransfers::take(std::optional<int> fileRank)
{
    m_heldBytes = 0;
    std::vector<HeldTransfer> transfers = std::exchange(m_held, {});
    std::stable_sort(
        transfers.begin(), transfers.end(),
        [](const HeldTransfer &a, const HeldTransfer &b) { return a.startNs < b.startNs; });
    std::map<std::tuple<std::string, bool, int, int>, std::uint64_t> counts;
    for (HeldTransfer &transfer : transfers) {
        const KinetoPeer &peer = transfer.peer;
        const std::optional<int> own = transfer.ownRank ? transfer.ownRank : fileRank;
        if (own)
            transfer.transaction
                = nameOf(peer, *own, counts[{ peer.group, peer.isSend, peer.rank, *own }]++);
    }
    return transfers;
}

} // namespace core
