#include "ui/timeline/drawing/density_image.h"

#include "ui/timeline/drawing/pixel_canvas.h"
#include "ui/timeline/utilisation.h"

#include <algorithm>

namespace ui {
namespace {

    /// Mean of the groups' utilisation.
    RoleUse meanUse(const TimelineSource &source, const TimeAxis &axis)
    {
        const auto &tracks = source.tracks();
        RoleUse mean(static_cast<std::size_t>(axis.widthPx));
        float groups = 0;
        for (std::size_t first = 0; first < tracks.size();) {
            std::size_t end = first + 1;
            while (end < tracks.size() && tracks[end].group == tracks[first].group) {
                ++end;
            }
            if (tracks[first].counter) {
                first = end;
                continue;
            }
            const RoleUse use = utilisation(source, first, end, axis);
            for (std::size_t column = 0; column < mean.size(); ++column) {
                for (std::size_t role = 0; role < core::RoleCount; ++role) {
                    mean[column][role] += use[column][role];
                }
            }
            groups += 1;
            first = end;
        }
        for (auto &column : mean) {
            for (float &share : column) {
                share /= std::max(1.0F, groups);
            }
        }
        return mean;
    }

} // namespace

QImage densityImage(const TimelineSource &source, const TimeAxis &axis, int height,
                    const Theme &theme, QRgb ground)
{
    QImage image(std::max(1, axis.widthPx), std::max(1, height), QImage::Format_RGB32);
    image.fill(ground);
    PixelCanvas canvas(image);
    const RoleUse use = meanUse(source, axis);
    const int margin = height / 8;
    const bool isSplit = hasCommunication(use) && hasOtherThanCommunication(use);
    const int room = height - 2 * margin;
    const int upper = isSplit ? room * 3 / 5 : room;
    const LaneColours colours = laneColours(theme);
    paintLane(canvas, use, colours, Lane::Work, margin, upper);
    paintLane(canvas, use, colours, Lane::Communication, isSplit ? margin + upper + 1 : margin,
              isSplit ? room - upper - 1 : room);
    return image;
}

} // namespace ui
