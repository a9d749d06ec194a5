#include "core/report/report_timelines.h"

#include "core/blocks/geometry.h"
#include "core/export/graph/svg_graph.h"

#include <algorithm>

namespace core {

namespace {

    constexpr double LargestScale = 0.8, LeastScale = 0.62; ///< of texts of 11 pixels
    constexpr double Below = 6, HeadingHeight = 62, CaptionHeight = 16;

    /// Height for pictures on a page that begins with them and ends with the caption.
    constexpr double PageRoom = ReportPages::fullRoom() - CaptionHeight;

    SvgPicture pictureOf(const ReportTimeline &timeline, const Drawing &drawing, double scale,
                         const std::string &title, bool hasLegend = true)
    {
        return svgPicture(drawing, title,
                          { .width = PageContentWidth / scale + 2 * SvgMargin,
                            .endNs = static_cast<double>(timeline.lengthNs),
                            .hasLegend = hasLegend });
    }

    /// Names of rows begin where the texts of the page do.
    void place(ReportPages &pages, const SvgPicture &picture, double scale)
    {
        pages.picture(PageMargin - SvgMargin * scale, pages.y(), scale, picture.content);
        pages.skip(picture.height * scale + Below);
    }

    /// Ends of the runs of lanes that have one heading.
    std::vector<std::size_t> groupEnds(const Drawing &drawing)
    {
        std::vector<std::size_t> ends;
        for (std::size_t i = 1; i <= drawing.lanes.size(); ++i)
            if (i == drawing.lanes.size() || drawing.lanes[i].group != drawing.lanes[i - 1].group)
                ends.push_back(i);
        return ends;
    }

    /// One timeline on as many pages as it needs.
    class TimelineInParts
    {
    public:
        TimelineInParts(ReportPages &pages, const ReportTimeline &timeline)
            : m_pages(pages)
            , m_timeline(timeline)
            , m_ends(groupEnds(timeline.drawing))
        {
        }

        void draw()
        {
            m_scale = scaleOf();
            while (m_drawn < m_ends.size()) {
                const std::size_t count = fitting();
                if (count == 0) {
                    m_pages.need(PageHeight); // a page of its own
                    if (fitting() == 0) // no group is higher than a page at this scale
                        place(m_pages, part(1), m_scale), ++m_drawn;
                    continue;
                }
                place(m_pages, part(count), m_scale);
                m_drawn += count;
            }
        }

    private:
        /// The rest of this page and the next one suffice, and a page for each group.
        double scaleOf() const
        {
            const SvgPicture whole = pictureOf(m_timeline, m_timeline.drawing, LargestScale, "-");
            const double around
                = whole.height - rowPlaces(m_timeline.drawing, {}).height; // again on each page
            double scale = std::min(LargestScale,
                                    (m_pages.room() - CaptionHeight + PageRoom)
                                        / (whole.height + 2 * around));
            for (std::size_t i = 0; i < m_ends.size(); ++i) {
                const Drawing group = lanesOf(m_timeline.drawing, beginOf(i), m_ends[i]);
                scale = std::min(scale, PageRoom / (rowPlaces(group, {}).height + around + Below));
            }
            return scale;
        }

        std::size_t beginOf(std::size_t group) const { return group == 0 ? 0 : m_ends[group - 1]; }

        SvgPicture part(std::size_t count) const
        {
            const Drawing drawing
                = lanesOf(m_timeline.drawing, beginOf(m_drawn), m_ends[m_drawn + count - 1]);
            return pictureOf(m_timeline, drawing, m_scale,
                             m_drawn == 0 ? m_timeline.title : m_timeline.title + ", continued",
                             m_drawn + count == m_ends.size());
        }

        /// Number of groups that the rest of the page has room for.
        std::size_t fitting() const
        {
            std::size_t count = m_ends.size() - m_drawn;
            double below = Below + CaptionHeight; // of the last part
            for (; count > 0 && part(count).height * m_scale + below > m_pages.room(); --count)
                below = Below;
            return count;
        }

        ReportPages &m_pages;
        const ReportTimeline &m_timeline;
        std::vector<std::size_t> m_ends;
        std::size_t m_drawn = 0; ///< groups
        double m_scale = LargestScale;
    };

    double heightOf(const std::vector<ReportTimeline> &timelines)
    {
        double height = 0;
        for (const ReportTimeline &one : timelines)
            height
                += pictureOf(one, one.drawing, LargestScale, one.title).height + Below / LeastScale;
        return height;
    }

    /// Where one is too high for the rest of a page.
    bool areInParts(const std::vector<ReportTimeline> &timelines)
    {
        constexpr std::size_t Fewest = 3; // two ranks and their links stay together
        return timelines.size() == 1 && groupEnds(timelines.front().drawing).size() > Fewest;
    }

    /// A page each: all together would be too small.
    bool areOnPages(const std::vector<ReportTimeline> &timelines)
    {
        return timelines.size() > 1 && heightOf(timelines) * LeastScale > PageRoom - HeadingHeight;
    }

    void drawTogether(ReportPages &pages, const std::vector<ReportTimeline> &timelines,
                      double scale)
    {
        for (const ReportTimeline &one : timelines)
            place(pages, pictureOf(one, one.drawing, scale, one.title), scale);
    }

    void drawOnPages(ReportPages &pages, const std::vector<ReportTimeline> &timelines)
    {
        double highest = 0;
        for (const ReportTimeline &one : timelines)
            highest = std::max(highest, heightOf({ one }));
        const double scale = std::min(LargestScale, (PageRoom - HeadingHeight) / highest);
        for (const ReportTimeline &one : timelines) {
            if (&one != &timelines.front())
                pages.need(PageHeight);
            place(pages, pictureOf(one, one.drawing, scale, one.title), scale);
        }
    }

} // namespace

Drawing lanesOf(const Drawing &drawing, std::size_t first, std::size_t end)
{
    Drawing part;
    part.arrangement = drawing.arrangement;
    part.width = drawing.width;
    part.lanes.assign(drawing.lanes.begin() + static_cast<std::ptrdiff_t>(first),
                      drawing.lanes.begin() + static_cast<std::ptrdiff_t>(end));
    if (part.lanes.empty())
        return part;
    const std::uint32_t top = part.lanes.front().firstRow;
    for (DrawnLane &lane : part.lanes) {
        lane.firstRow -= top;
        part.rowCount = lane.firstRow + lane.rowCount;
    }
    std::vector<std::uint32_t> places(drawing.blocks.size(), DrawnBlock::None);
    for (std::size_t i = 0; i < drawing.blocks.size(); ++i) {
        DrawnBlock block = drawing.blocks[i];
        if (block.row < top || block.row >= top + part.rowCount)
            continue;
        places[i] = static_cast<std::uint32_t>(part.blocks.size());
        block.row -= top;
        part.blocks.push_back(std::move(block));
    }
    for (DrawnBlock &block : part.blocks)
        if (block.parent != DrawnBlock::None)
            block.parent = places[block.parent];
    for (DrawnLink link : drawing.links) {
        link.from = places[link.from];
        link.to = places[link.to];
        if (link.from != DrawnBlock::None && link.to != DrawnBlock::None)
            part.links.push_back(link);
    }
    for (PathStep step : drawing.path) {
        step.block = places[step.block];
        if (step.block != DrawnBlock::None)
            part.path.push_back(step);
        else if (!part.path.empty())
            part.path.back().continues = false;
    }
    return part;
}

double leastHeight(const std::vector<ReportTimeline> &timelines)
{
    const ReportTimeline &first = timelines.front();
    if (areOnPages(timelines))
        return ReportPages::fullRoom();
    if (!areInParts(timelines))
        return HeadingHeight + heightOf(timelines) * LeastScale + CaptionHeight;
    const Drawing group = lanesOf(first.drawing, 0, groupEnds(first.drawing).front());
    return HeadingHeight
        + pictureOf(first, group, LargestScale, first.title, false).height * LargestScale + Below
        + CaptionHeight;
}

void drawTimelines(ReportPages &pages, const std::vector<ReportTimeline> &timelines,
                   const std::string &caption)
{
    pages.need(leastHeight(timelines));
    pages.heading("Timeline");
    pages.paragraph("The typical iteration on its slowest rank. What reaches beyond its length "
                    "overlaps the next one.",
                    { .color = ink::Secondary });
    pages.skip(4);
    const double room = pages.room() - CaptionHeight, height = heightOf(timelines);
    if (areOnPages(timelines))
        drawOnPages(pages, timelines);
    else if (room / height < LeastScale && areInParts(timelines))
        TimelineInParts(pages, timelines.front()).draw();
    else
        drawTogether(pages, timelines, std::min(LargestScale, room / height));
    pages.paragraph(caption, { .size = 9, .color = ink::Secondary });
}

} // namespace core
