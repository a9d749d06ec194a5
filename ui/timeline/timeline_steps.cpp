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

} // namespace ui
