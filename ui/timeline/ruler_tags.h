#pragma once

#include <QRectF>

#include <optional>
#include <vector>

namespace ui {

/// Left edge of the pointer's time on the ruler, all in pixels: over `x` where no tag of `taken`
/// is, else beside `x`; negative where both sides are taken. `width`: of the ruler.
double pointerTagLeft(double x, double length, double width, const std::vector<QRectF> &taken);

/// Length of the label of a note at `x`: as wanted, or up to the flag at `nextX`; 0 where that is
/// too short to be read.
double flagLabelLength(double x, double wanted, double nextX);

/// Where a tag may begin on the ruler, pixels.
struct TagWish
{
    double left = 0; ///< best
    double least = 0, most = 0;
    double length = 0;
};

/// Left edge of a tag: as near to the wish as nothing of `taken` is covered; empty: nowhere.
std::optional<double> freeTagLeft(const TagWish &wish, const std::vector<QRectF> &taken);

/// Keeps what stands in the two lines of the ruler, and finds places for tags there.
class TagPlaces
{
public:
    /// `times` stand in the lower line, `names` in the upper one; tags are as high as `lower` and
    /// `upper`, whose other edges do not matter.
    TagPlaces(std::vector<QRectF> times, std::vector<QRectF> names, QRectF lower, QRectF upper);

    /// A place beside the times, else beside the names, else over times; it is taken then. Empty
    /// where other tags leave none.
    QRectF place(const TagWish &wish);

private:
    std::vector<QRectF> m_times, m_names, m_tags;
    QRectF m_lower, m_upper;
};

} // namespace ui
