#include "ui/timeline/timeline_steps.h"

#include <algorithm>

namespace ui {
namespace {

    bool isBeyond(const TimelineBox &box, const TimelineBox &from, int direction)
    {
        if (box.depth != from.depth || box.id == from.id) {
            return false;
        }
        return direction > 0 ? box.startNs >= from.startNs && box.id > from.id
                             : box.startNs <= from.startNs && box.id < from.id;
    }

    /// Index of the step to go to, or the number of steps.
    std::size_t stepAfter(const std::vector<CriticalStep> &steps, const TimelineState &state,
                          int direction)
    {
        const auto &selection = state.selection();
        if (selection) {
            const auto current = std::ranges::find(steps, selection->box.id, &CriticalStep::id);
            if (current != steps.end()) {
                return static_cast<std::size_t>(current - steps.begin() + direction);
            }
        }
        const std::int64_t from = selection ? selection->box.startNs
            : direction > 0                 ? state.visible().startNs
                                            : state.visible().endNs;
        const auto after = std::ranges::partition_point(
            steps, [from](const CriticalStep &step) { return step.startNs < from; });
        const auto index = static_cast<std::size_t>(after - steps.begin());
        return direction > 0 ? index : index - 1;
    }

} // namespace

core::TimeRange spanOfSelection(const TimelineState &state)
{
    if (state.area()) {
        return state.area()->range;
    }
    if (const auto &hit = state.selection()) {
        return { hit->box.startNs, std::max(hit->box.endNs, hit->box.startNs + 1) };
    }
    return {};
}

std::optional<TimelineHit> neighbourOnTrack(const TimelineState &state, int direction)
{
    if (!state.selection() || state.source() == nullptr) {
        return std::nullopt;
    }
    const TimelineHit &from = *state.selection();
    const core::TimeRange all = state.source()->range();
    std::int64_t reach = std::max<std::int64_t>(1000, (from.box.endNs - from.box.startNs) * 4);
    for (bool isWhole = false; !isWhole; reach *= 8) {
        core::TimeRange range { from.box.startNs, from.box.startNs + reach };
        if (direction < 0) {
            range = { from.box.startNs - reach, from.box.startNs };
        }
        isWhole = direction > 0 ? range.endNs >= all.endNs : range.startNs <= all.startNs;
        const auto boxes = state.source()->boxes(from.track, range, 1);
        const TimelineBox *nearest = nullptr;
        for (const TimelineBox &box : boxes) {
            if (isBeyond(box, from.box, direction)
                && (nearest == nullptr || (direction > 0) == (box.startNs < nearest->startNs))) {
                nearest = &box;
            }
        }
        if (nearest != nullptr) {
            return TimelineHit { from.track, *nearest };
        }
    }
    return std::nullopt;
}

std::optional<TimelineHit> neighbourOnCriticalPath(const TimelineState &state, int direction)
{
    const std::vector<CriticalStep> &steps = state.criticalPath();
    const std::size_t next = stepAfter(steps, state, direction);
    if (next >= steps.size()) { // before the first one wraps around to a large number
        return std::nullopt;
    }
    const auto found = state.source()->find(steps[next].id);
    return found ? std::optional(TimelineHit { found->first, found->second }) : std::nullopt;
}

core::TimeRange activeRange(const TimelineSource &source)
{
    constexpr std::int64_t MostColumns = 1000;
    constexpr std::size_t GapPercent = 60, MostPercent = 90;
    const core::TimeRange range = source.range();
    const std::int64_t columnNs = range.durationNs() / MostColumns + 1;
    const std::int64_t columns = std::max<std::int64_t>(1, range.durationNs() / columnNs);
    std::vector<std::size_t> counts(static_cast<std::size_t>(columns));
    std::size_t all = 0;
    for (std::size_t track = 0; track < source.tracks().size(); ++track) {
        if (source.tracks()[track].kind == core::TrackKind::Annotation) {
            continue;
        }
        for (const TimelineBox &box : source.boxes(track, range, columnNs)) {
            const auto columnOf = [&](std::int64_t ns) {
                const std::int64_t column = (ns - range.startNs) / columnNs;
                return static_cast<std::size_t>(std::clamp<std::int64_t>(column, 0, columns - 1));
            };
            counts[columnOf(box.startNs)] += box.count;
            for (std::size_t i = columnOf(box.startNs) + 1; i <= columnOf(box.endNs - 1); ++i) {
                counts[i] = std::max<std::size_t>(counts[i], 1);
            }
            all += box.count;
        }
    }
    std::size_t gapStart = 0, gapLength = 0;
    for (std::size_t i = 0, start = 0; i < counts.size(); ++i) {
        start = counts[i] == 0 ? start : i + 1;
        if (i + 1 - start > gapLength) {
            gapStart = start;
            gapLength = i + 1 - start;
        }
    }
    if (gapLength * 100 <= GapPercent * counts.size()) {
        return {};
    }
    std::size_t before = 0;
    for (std::size_t i = 0; i < gapStart; ++i) {
        before += counts[i];
    }
    const std::int64_t gapFrom = range.startNs + static_cast<std::int64_t>(gapStart) * columnNs;
    const std::int64_t gapTo = gapFrom + static_cast<std::int64_t>(gapLength) * columnNs;
    if (before * 100 >= MostPercent * all) {
        return { range.startNs, gapFrom };
    }
    const bool isAfter = before * 100 <= (100 - MostPercent) * all;
    return isAfter ? core::TimeRange { gapTo, range.endNs } : core::TimeRange {};
}

} // namespace ui
