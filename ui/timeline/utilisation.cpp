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

    void addTo(RoleUse &sum, const RoleUse &track)
    {
        for (std::size_t column = 0; column < sum.size(); ++column) {
            for (std::size_t role = 0; role < core::RoleCount; ++role) {
                sum[column][role] = std::min(1.0F, sum[column][role] + track[column][role]);
            }
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
        const auto last = std::min(waits.size(), static_cast<std::size_t>(std::ceil(right)));
        for (auto column = static_cast<std::size_t>(left); column < last; ++column) {
            const double from = std::max(left, static_cast<double>(column));
            const double to = std::min(right, static_cast<double>(column) + 1);
            waits[column] = std::min(1.0F, waits[column] + static_cast<float>(to - from));
        }
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
    const auto last = std::min(use.size(), static_cast<std::size_t>(std::ceil(right)));
    for (auto column = static_cast<std::size_t>(left); column < last; ++column) {
        const double from = std::max(left, static_cast<double>(column));
        const double to = std::min(right, static_cast<double>(column) + 1);
        float &cell = use[column][role];
        cell = std::min(1.0F, cell + static_cast<float>(share * (to - from)));
    }
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
    RoleUse ofTrack;
    if (waits != nullptr) {
        waits->assign(sum.size(), 0);
    }
    for (std::size_t track = first; track < end; ++track) {
        if (!isShown(tracks[track].kind, kinds)) {
            continue;
        }
        ofTrack.assign(sum.size(), {});
        for (const TimelineBox &box : source.boxes(track, axis.visible(), axis.resolutionNs())) {
            addUse(ofTrack, axis, box, kinds.isAnnotated);
            if (waits != nullptr && box.waitNs > 0) {
                addWait(*waits, axis, box);
            }
        }
        addTo(sum, ofTrack);
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
    for (std::size_t column = 0; column < use.size(); ++column) {
        const bool isDimmed = column < colours.isDimmed.size() && colours.isDimmed[column];
        const LaneColours::OfRoles &ofRoles = isDimmed ? colours.dimmed : colours.full;
        double below = 0;
        for (std::size_t role = 0; role < core::RoleCount && below < 1; ++role) {
            const bool isWanted = (role == Communication) == (lane == Lane::Communication);
            if (!isWanted || use[column][role] <= 0) {
                continue;
            }
            const double above = std::min(1.0, below + static_cast<double>(use[column][role]));
            const int from = static_cast<int>(std::lround(below * height));
            const int to = std::max(from + 1, static_cast<int>(std::lround(above * height)));
            canvas.fill(static_cast<int>(column), top + height - to, 1, to - from, ofRoles[role]);
            below = above;
        }
    }
}

} // namespace ui
