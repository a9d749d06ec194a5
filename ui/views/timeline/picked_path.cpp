#include "ui/views/timeline/picked_path.h"

#include "core/analyze/report/critical_path_report.h"

#include <QCoreApplication>

#include <algorithm>
#include <optional>
#include <utility>

namespace ui {

namespace {

    struct PartText
    {
        Q_DECLARE_TR_FUNCTIONS(PathPart)
    };

    /// The replay's times differ a little from the measured ones, which the timeline shows.
    core::TimeRange shownRange(const core::PathSegment &segment, const DiagnosisMarks &marks)
    {
        std::optional<core::TimeRange> range;
        for (const core::SliceId slice : segment.slices) {
            const auto step = marks.steps.find(slice.value);
            if (step == marks.steps.end())
                continue;
            const TimelineBox &box = step->second.second;
            if (!range)
                range = core::TimeRange { box.startNs, box.endNs };
            range->startNs = std::min(range->startNs, box.startNs);
            range->endNs = std::max(range->endNs, box.endNs);
        }
        if (!range)
            return segment.range;
        if (segment.isGap && segment.slices.size() == 1)
            range = core::TimeRange { range->startNs - segment.durationNs, range->startNs };
        return *range;
    }

} // namespace

std::shared_ptr<const PickedPath> pickedPath(const core::Trace &trace,
                                             const core::Diagnosis &diagnosis, std::size_t place,
                                             const std::filesystem::path &project,
                                             const core::JobControl &control)
{
    auto picked = std::make_shared<PickedPath>();
    picked->place = place;
    picked->report = core::iterationPathReport(trace, diagnosis.selfReplay, place);
    core::throwIfCancelled(control);
    picked->segments = core::pathSegments(picked->report);
    if (place < diagnosis.nearCritical.iterations.size()) {
        auto near = core::nearCriticalSegments(diagnosis.nearCritical.iterations[place]);
        picked->segments.insert(picked->segments.end(), near.begin(), near.end());
    }
    picked->marks
        = marksOf(diagnosis, core::iterationPath(diagnosis.selfReplay, place), project, control);
    picked->shown.reserve(picked->segments.size());
    for (const core::PathSegment &segment : picked->segments)
        picked->shown.push_back(shownRange(segment, *picked->marks));
    return picked;
}

QString partTitle(const std::string &kind)
{
    const std::pair<const char *, QString> titles[] = {
        { "compute", PartText::tr("Compute") }, { "comm", PartText::tr("Transfer") },
        { "copy", PartText::tr("Copies") },     { "wait", PartText::tr("Wait") },
        { "launch", PartText::tr("Launch") },   { "host", PartText::tr("Host") },
        { "input", PartText::tr("Input") },     { "idle", PartText::tr("Idle") },
    };
    for (const auto &[id, title] : titles)
        if (kind == id)
            return title;
    return QString::fromStdString(kind);
}

} // namespace ui
