#include "ui/views/timeline/idle_gap.h"

#include "ui/timeline_sources/project_timeline_source.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {
namespace {

    struct IdleGapText
    {
        Q_DECLARE_TR_FUNCTIONS(IdleGap)
    };

    /// The part of a sentence that says what was waited for.
    QString waitedFor(core::EdgeKind kind)
    {
        switch (kind) {
        case core::EdgeKind::Launch:
            return IdleGapText::tr("the host to launch the next operation");
        case core::EdgeKind::Sync:
            return IdleGapText::tr("a synchronisation with another stream or thread");
        case core::EdgeKind::Collective:
            return IdleGapText::tr("a collective of the ranks");
        case core::EdgeKind::Data:
        case core::EdgeKind::Framework:
            return IdleGapText::tr("data of another operation");
        case core::EdgeKind::Iteration:
            return IdleGapText::tr("the end of the iteration before");
        case core::EdgeKind::Inferred:
            return IdleGapText::tr("another operation, as the times suggest");
        case core::EdgeKind::HostOrder:
        case core::EdgeKind::StreamOrder:
            break;
        }
        return IdleGapText::tr("the operation before it");
    }

    SliceLink linkTo(core::SliceId slice, const ProjectTimelineSource &source)
    {
        SliceLink link;
        link.slice = slice;
        link.name = source.boxName(0, slice.value);
        if (const auto found = source.find(slice.value)) {
            const TimelineTrack &track = source.tracks()[found->first];
            link.note = track.group + QStringLiteral(" \u00b7 ") + track.name;
        }
        return link;
    }

} // namespace

IdleGap idleGap(const TimelineSource &source, std::size_t track, std::int64_t ns)
{
    const core::TimeRange all = source.range();
    IdleGap gap { track, all, {}, {} };
    bool isWhole = false;
    for (std::int64_t reach = 1'000'000; !isWhole && (!gap.before || !gap.after); reach *= 8) {
        isWhole = ns - reach <= all.startNs && ns + reach >= all.endNs;
        for (const TimelineBox &box : source.boxes(track, { ns - reach, ns + reach }, 1)) {
            if (box.endNs <= ns && (!gap.before || box.endNs > gap.before->endNs))
                gap.before = box;
            if (box.startNs > ns && (!gap.after || box.startNs < gap.after->startNs))
                gap.after = box;
        }
    }
    gap.range = { gap.before ? gap.before->endNs : std::min(ns, all.startNs),
                  gap.after ? gap.after->startNs : std::max(ns, all.endNs) };
    return gap;
}

std::optional<GapCause> causeOf(const IdleGap &gap, const GraphLinks &links)
{
    constexpr std::size_t MostLooked = 200;
    if (!gap.after)
        return std::nullopt;
    const core::Graph &graph = links.graph();
    const bool isPartOfCollective = links.collectiveOf(core::SliceId(gap.after->id)) != nullptr;
    for (const GraphLinks::Link &link :
         links.predecessors(core::SliceId(gap.after->id), MostLooked)) { // the last to end first
        const std::int64_t endNs
            = graph.measuredStartNs[link.op.value] + graph.durationNs[link.op.value];
        // A collective in another thread is recorded as ended a little after it lets this one go
        // on; the parts of other ranks that a collective joins tell nothing of its start.
        const bool isAwaited = !isPartOfCollective && links.collectiveOf(link.slice) != nullptr
            && graph.measuredStartNs[link.op.value] < gap.after->startNs;
        if (endNs <= gap.after->startNs || isAwaited)
            return GapCause { link, endNs };
    }
    return std::nullopt;
}

QString whyIdle(const IdleGap &gap, const std::optional<GapCause> &cause)
{
    if (!gap.after)
        return IdleGapText::tr("Nothing more is recorded here.");
    if (!cause)
        return IdleGapText::tr("The graph does not tell what the next operation waited for.");
    if (cause->endNs <= gap.range.startNs)
        return IdleGapText::tr("All that the next operation waits for in the graph had ended "
                               "before: the delay of its launch, or what is not recorded.");
    if (cause->endNs > gap.range.endNs)
        return IdleGapText::tr("Waited %1 for %2, whose end is recorded %3 later.")
            .arg(formatDuration(gap.range.durationNs()), waitedFor(cause->last.kind),
                 formatDuration(cause->endNs - gap.range.endNs));
    return IdleGapText::tr("Waited %1 for %2, then began %3 later.")
        .arg(formatDuration(cause->endNs - gap.range.startNs), waitedFor(cause->last.kind),
             formatDuration(gap.range.endNs - cause->endNs));
}

SliceDetails describeGap(const IdleGap &gap, const ProjectTimelineSource &source,
                         const GraphLinks &links)
{
    const TimelineTrack &track = source.tracks()[gap.track];
    const std::optional<GapCause> cause = causeOf(gap, links);
    SliceDetails details;
    details.name = IdleGapText::tr("Idle for %1").arg(formatDuration(gap.range.durationNs()));
    details.facts.emplace_back(IdleGapText::tr("Track"),
                               track.group + QStringLiteral(" \u00b7 ") + track.name);
    details.facts.emplace_back(IdleGapText::tr("Why"), whyIdle(gap, cause));
    if (cause)
        details.predecessors.push_back(linkTo(cause->last.slice, source));
    if (gap.after)
        details.successors.push_back(linkTo(core::SliceId(gap.after->id), source));
    return details;
}

} // namespace ui
