#include "ui/timeline/utilisation.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

    constexpr auto Communication = static_cast<std::size_t>(core::Role::Communication);
    constexpr auto Annotation = static_cast<std::size_t>(core::Role::Annotation);

    /// What the tracks of a group are.
    struct Kinds
    {
        bool hasDevice = false; ///< streams: their threads only launch
        bool isAnnotated = false; ///< there is nothing but annotations
    };

    bool isShown(core::TrackKind kind, const Kinds &kinds)
    {
        switch (kind) {
        case core::TrackKind::Stream:
        case core::TrackKind::Communication:
            return true;
        case core::TrackKind::HostThread:
        case core::TrackKind::Other:
            return !kinds.hasDevice;
        default:
            return kinds.isAnnotated;
        }
    }

    /// Rounded; `value` is not below 0. std::lround() is a call, and this is done for every column.
    int nearest(double value)
    {
        return static_cast<int>(value * 2 + 1) / 2;
    }

    /// Adds `perColumn` where `left` to `right` covers a column whole, else its share of that.
    /// `cell` names a column's value, which is limited to 1.
    template <class Cell>
    void addSpan(double left, double right, float perColumn, const Cell &cell)
    {
        const auto add = [&cell](std::size_t column, float share) {
            float &value = cell(column);
            value = std::min(1.0F, value + share);
        };
        const auto first = static_cast<std::size_t>(left);
        const auto last = static_cast<std::size_t>(right);
        if (first == last) {
            add(first, perColumn * static_cast<float>(right - left));
            return;
        }
        add(first, perColumn * static_cast<float>(static_cast<double>(first + 1) - left));
        for (std::size_t column = first + 1; column < last; ++column) {
            add(column, perColumn);
        }
        if (const double rest = right - static_cast<double>(last); rest > 0) {
            add(last, perColumn * static_cast<float>(rest));
        }
    }

    /// Communication on several tracks at once counts only as often as a column is wide.
    void addWait(std::vector<float> &waits, const TimeAxis &axis, const TimelineBox &box)
    {
        const double left = std::max(0.0, axis.xOf(box.startNs));
        const double right
            = std::min(static_cast<double>(waits.size()), axis.xOf(box.startNs + box.waitNs));
        if (right <= left) {
            return;
        }
        addSpan(left, right, 1, [&waits](std::size_t column) -> float & { return waits[column]; });
    }

} // namespace

void addUse(RoleUse &use, const TimeAxis &axis, const TimelineBox &box, bool isAnnotated)
{
    const auto role = static_cast<std::size_t>(box.role);
    const double left = std::max(0.0, axis.xOf(box.startNs));
    const double right = std::min(static_cast<double>(use.size()), axis.xOf(box.endNs));
    if ((role == Annotation && !isAnnotated) || right <= left) {
        return;
    }
    const double span = static_cast<double>(std::max<std::int64_t>(1, box.endNs - box.startNs));
    const double share
        = box.count > 1 ? std::clamp(static_cast<double>(box.busyNs) / span, 0.0, 1.0) : 1.0;
    addSpan(left, right, static_cast<float>(share),
            [&use, role](std::size_t column) -> float & { return use[column][role]; });
}

RoleUse utilisation(const TimelineSource &source, std::size_t first, std::size_t end,
                    const TimeAxis &axis, std::vector<float> *waits)
{
    const auto &tracks = source.tracks();
    Kinds kinds { false, true };
    for (std::size_t track = first; track < end; ++track) {
        kinds.hasDevice |= tracks[track].kind == core::TrackKind::Stream;
        kinds.isAnnotated &= tracks[track].kind == core::TrackKind::Annotation;
    }
    RoleUse sum(static_cast<std::size_t>(axis.widthPx));
    if (waits != nullptr) {
        waits->assign(sum.size(), 0);
    }
    for (std::size_t track = first; track < end; ++track) {
        if (!isShown(tracks[track].kind, kinds)) {
            continue;
        }
        // Of a track a role's share is at most 1, and so is the sum: both limits are one.
        for (const TimelineBox &box : source.boxes(track, axis.visible(), axis.resolutionNs())) {
            addUse(sum, axis, box, kinds.isAnnotated);
            if (waits != nullptr && box.waitNs > 0) {
                addWait(*waits, axis, box);
            }
        }
    }
    return sum;
}

bool hasCommunication(const RoleUse &use)
{
    return std::ranges::any_of(use, [](const auto &column) { return column[Communication] > 0; });
}

bool hasOtherThanCommunication(const RoleUse &use)
{
    return std::ranges::any_of(use, [](const auto &column) {
        for (std::size_t role = 0; role < core::RoleCount; ++role) {
            if (role != Communication && column[role] > 0) {
                return true;
            }
        }
        return false;
    });
}

LaneColours laneColours(const Theme &theme)
{
    LaneColours colours {};
    for (std::size_t role = 0; role < core::RoleCount; ++role) {
        colours.full[role] = theme.role(static_cast<core::Role>(role)).rgb();
    }
    colours.dimmed = colours.full;
    return colours;
}

void paintLane(PixelCanvas &canvas, const RoleUse &use, const LaneColours &colours, Lane lane,
               int top, int height)
{
    const auto dims = [&colours](std::size_t column) {
        return column < colours.isDimmed.size() && colours.isDimmed[column];
    };
    for (std::size_t first = 0, end = 0; first < use.size(); first = end) {
        const bool isDimmed = dims(first);
        end = first + 1; // a close look has long runs of columns alike
        while (end < use.size() && use[end] == use[first] && dims(end) == isDimmed) {
            ++end;
        }
        const LaneColours::OfRoles &ofRoles = isDimmed ? colours.dimmed : colours.full;
        double below = 0;
        for (std::size_t role = 0; role < core::RoleCount && below < 1; ++role) {
            const bool isWanted = (role == Communication) == (lane == Lane::Communication);
            if (!isWanted || use[first][role] <= 0) {
                continue;
            }
            const double above = std::min(1.0, below + static_cast<double>(use[first][role]));
            const int from = nearest(below * height);
            const int to = std::max(from + 1, nearest(above * height));
            canvas.fill(static_cast<int>(first), top + height - to, static_cast<int>(end - first),
                        to - from, ofRoles[role]);
            below = above;
        }
    }
}

} // namespace ui
