#include "ui/views/timeline/selection_arrows.h"

#include <algorithm>
#include <optional>

namespace ui {
namespace {

    /// An arrow before its other end is looked up.
    struct Wanted
    {
        core::SliceId other;
        ArrowKind kind;
        bool isFromOther;
    };

    void addLastRank(std::vector<Wanted> &wanted, core::SliceId slice, const GraphLinks &links)
    {
        const core::CollectiveNode *collective = links.collectiveOf(slice);
        if (collective == nullptr || collective->parts.size() < 2)
            return;
        const core::SliceId last
            = std::ranges::max_element(collective->parts, {}, &core::CollectiveNode::Part::startNs)
                  ->slice;
        if (last != slice) {
            wanted.push_back({ last, ArrowKind::LastRank, true });
            return;
        }
        for (const core::CollectiveNode::Part &part : collective->parts)
            if (part.slice != slice)
                wanted.push_back({ part.slice, ArrowKind::LastRank, false });
    }

    void addNeighbours(std::vector<Wanted> &wanted, core::SliceId slice, const GraphLinks &links)
    {
        constexpr std::size_t MostCounted = 1000;
        auto before = links.predecessors(slice, MostCounted);
        auto after = links.successors(slice, MostCounted);
        // Other ranks' parts of its own collective have arrows of their own.
        const core::CollectiveNode *own = links.collectiveOf(slice);
        const auto isOwn = [&](const GraphLinks::Link &link) {
            return own != nullptr && links.collectiveOf(link.slice) == own;
        };
        std::erase_if(before, isOwn);
        std::erase_if(after, isOwn);
        for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
            if (i < before.size())
                wanted.push_back({ before[i].slice, ArrowKind::ToSelection, true });
            if (i < after.size())
                wanted.push_back({ after[i].slice, ArrowKind::FromSelection, false });
        }
    }

} // namespace

SelectionArrows selectionArrows(const TimelineHit &selection, const GraphLinks &links,
                                const TimelineSource &source)
{
    const core::SliceId slice(selection.box.id);
    std::vector<Wanted> wanted;
    addLastRank(wanted, slice, links);
    addNeighbours(wanted, slice, links);
    SelectionArrows found;
    for (const Wanted &one : wanted) {
        if (found.arrows.size() == MostArrows) {
            ++found.more;
            continue;
        }
        const auto other = source.find(one.other.value);
        if (!other)
            continue;
        const TimelineHit end { other->first, other->second };
        found.arrows.push_back(one.isFromOther ? TimelineArrow { end, selection, one.kind }
                                               : TimelineArrow { selection, end, one.kind });
    }
    return found;
}

} // namespace ui
