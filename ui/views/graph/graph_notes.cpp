#include "ui/views/graph/graph_notes.h"

#include "core/blocks/geometry.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace ui {

namespace {

    struct GraphNotes
    {
        Q_DECLARE_TR_FUNCTIONS(GraphNotes)
    };

    /// Removed blocks that no ghost shows.
    std::size_t unseenOf(const core::DrawingDifference &difference)
    {
        const auto shown
            = std::count_if(difference.ghosts.begin(), difference.ghosts.end(),
                            [](const core::GhostBlock &ghost) { return ghost.isRemoved; });
        return difference.removed - static_cast<std::size_t>(shown);
    }

} // namespace

QString graphNotes(const GraphPicture &picture, const QString &title, std::int64_t durationNs)
{
    const core::Drawing &drawing = *picture.drawing;
    QStringList notes { title };
    const std::string longest = core::longestOnPathText(drawing, durationNs);
    if (!longest.empty())
        notes << QString::fromStdString(longest);
    if (drawing.links.size() > core::SeenLinks::Most)
        notes << GraphNotes::tr("%1 links, of which at most %2 are drawn at once: zoom in for more")
                     .arg(formatCount(drawing.links.size()), formatCount(core::SeenLinks::Most));
    if (drawing.lanesLeftOut > 0)
        notes << countText(drawing.lanesLeftOut, GraphNotes::tr("%1 idle lane is left out"),
                           GraphNotes::tr("%1 idle lanes are left out"));
    if (drawing.blocksLeftOut > 0)
        notes << countText(drawing.blocksLeftOut, GraphNotes::tr("%1 block has no room"),
                           GraphNotes::tr("%1 blocks have no room"));
    if (picture.difference != nullptr)
        notes << GraphNotes::tr("beside the recorded job: %1 blocks added, %2 removed, %3 moved")
                     .arg(picture.difference->added)
                     .arg(picture.difference->removed)
                     .arg(picture.difference->moved);
    if (const std::size_t unseen
        = picture.difference == nullptr ? 0 : unseenOf(*picture.difference);
        unseen > 0)
        notes << GraphNotes::tr("of the removed, %1 were in rows that are gone").arg(unseen);
    return notes.join(QStringLiteral(" \u00b7 "));
}

} // namespace ui
