#include "core/export/graph/svg_graph.h"

#include "core/base/duration_text.h"
#include "core/blocks/geometry.h"
#include "core/export/graph/markup.h"
#include "core/model/category.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

namespace core {

namespace {

    constexpr double Margin = SvgMargin, LabelWidth = 150, TitleHeight = 34, SubtitleHeight = 18,
                     AxisHeight = 22, LegendTop = 26, LegendLine = 16, FontSize = 11,
                     GlyphWidth = 6.3, ThinPath = 6;

    struct Colors
    {
        const char *ground, *panel, *line, *text, *secondary, *faint, *path, *casing;
    };
    // As in the window's themes.
    constexpr Colors Light { "#FFFFFF", "#F4F5F7", "#D8DBE0", "#1B1F24",
                             "#5B6470", "#C2C7CE", "#000000", "#FFFFFF" };
    constexpr Colors Dark { "#15181D", "#1C2027", "#333A45", "#E6E9EE",
                            "#9AA4B2", "#424A56", "#FFFFFF", "#000000" };

    bool isBright(std::uint32_t color)
    {
        constexpr double Bright = 150;
        return 0.299 * ((color >> 16U) & 0xFFU) + 0.587 * ((color >> 8U) & 0xFFU)
            + 0.114 * (color & 0xFFU)
            > Bright;
    }

    /// As much of a text as fits; empty where that is hardly anything.
    std::string fitting(const std::string &text, double width)
    {
        constexpr std::size_t Fewest = 4;
        const auto most = static_cast<std::size_t>(std::max(0.0, width / GlyphWidth));
        if (text.size() <= most)
            return text;
        if (most < Fewest)
            return {};
        std::size_t end = most - 1;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
            --end;
        return text.substr(0, end) + "\u2026";
    }

    class SvgWriter
    {
    public:
        SvgWriter(const Drawing &drawing, const SvgStyle &style)
            : m_drawing(drawing)
            , m_style(style)
            , m_colors(style.isDark ? Dark : Light)
            , m_rows(rowPlaces(drawing, {}))
            , m_left(Margin + LabelWidth)
            , m_scale((style.width - m_left - Margin) / drawing.width)
        {
            m_top = Margin + AxisHeight;
        }

        SvgPicture write(const std::string &title)
        {
            heading(title);
            lanes();
            axis();
            links();
            blocks();
            path();
            marks();
            endMark();
            double end = m_top + m_rows.height + LegendTop;
            if (m_style.hasLegend)
                end = legend(end) + 8;
            const double height = end + Margin;
            const std::string content = std::move(m_out);
            m_out = "<g font-size=\"" + pixelText(FontSize) + "\">\n";
            rect(0, 0, m_style.width, height, m_colors.ground);
            m_out += content + "</g>\n";
            return { m_style.width, height, std::move(m_out) };
        }

    private:
        /// One or two lines; what is below begins under them.
        void heading(const std::string &title)
        {
            if (title.empty())
                return;
            m_top += TitleHeight;
            const std::size_t end = title.find('\n');
            text(Margin, Margin + 14, fitting(title.substr(0, end), m_style.width - 4 * Margin),
                 m_colors.text, "font-size=\"15\" font-weight=\"600\"");
            if (end == std::string::npos)
                return;
            m_top += SubtitleHeight;
            text(Margin, Margin + 34, title.substr(end + 1), m_colors.secondary,
                 "font-size=\"13\"");
        }

        double xOf(double place) const { return m_left + place * m_scale; }
        double topOf(std::uint32_t row) const { return m_top + m_rows.top[row]; }

        void rect(double x, double y, double width, double height, const std::string &fill,
                  const std::string &more = {})
        {
            m_out += "<rect x=\"" + pixelText(x) + "\" y=\"" + pixelText(y) + "\" width=\""
                + pixelText(width) + "\" height=\"" + pixelText(height) + "\" fill=\"" + fill + "\""
                + (more.empty() ? "" : " " + more) + "/>\n";
        }
        void text(double x, double y, const std::string &shown, const std::string &fill,
                  const std::string &more = {})
        {
            if (!shown.empty())
                m_out += "<text x=\"" + pixelText(x) + "\" y=\"" + pixelText(y) + "\" fill=\""
                    + fill + "\"" + (more.empty() ? "" : " " + more) + ">" + markupText(shown)
                    + "</text>\n";
        }

        /// Diagonals, drawn one by one: not all programs know patterns.
        void hatch(double x, double y, double width, double height)
        {
            constexpr double Step = 6;
            std::string lines;
            const int count = static_cast<int>((width + height) / Step) + 1;
            for (int i = 0; i < count; ++i) {
                const double at = x - height + i * Step;
                const double left = std::max(at, x), right = std::min(at + height, x + width);
                if (left >= right)
                    continue;
                lines += "M" + pixelText(left) + "," + pixelText(y + height - (left - at)) + " L"
                    + pixelText(right) + "," + pixelText(y + height - (right - at)) + " ";
            }
            m_out += "<path d=\"" + lines + "\" fill=\"none\" stroke=\""
                + hexColor(fillOf(Role::Communication)) + "\" stroke-width=\"1.8\"/>\n";
        }

        void arrow(const Point &tip, bool isDown, const std::string &color)
        {
            constexpr double Half = 3, Length = 5;
            const double back = m_top + tip.y + (isDown ? -Length : Length);
            m_out += "<path d=\"M" + pixelText(tip.x) + "," + pixelText(m_top + tip.y) + " L"
                + pixelText(tip.x - Half) + "," + pixelText(back) + " L" + pixelText(tip.x + Half)
                + "," + pixelText(back) + " Z\" fill=\"" + color + "\"/>\n";
        }

        std::uint32_t fillOf(Role role) const
        {
            const RoleColors colors = colorsOf(role);
            return m_style.isDark ? colors.dark : colors.light;
        }

        /// A quarter of a fill on the ground of lanes.
        std::string mixed(std::uint32_t fill) const
        {
            const auto ground
                = static_cast<std::uint32_t>(std::strtoul(m_colors.panel + 1, nullptr, 16));
            std::uint32_t color = 0;
            for (const std::uint32_t shift : { 16U, 8U, 0U }) {
                const std::uint32_t a = (ground >> shift) & 0xFFU, b = (fill >> shift) & 0xFFU;
                color |= ((3 * a + b) / 4) << shift;
            }
            return hexColor(color);
        }

        void lanes()
        {
            const std::string *group = nullptr;
            for (std::size_t i = 0; i < m_drawing.lanes.size(); ++i) {
                const DrawnLane &lane = m_drawing.lanes[i];
                const double top = topOf(lane.firstRow);
                const double height = m_rows.rowHeight * lane.rowCount;
                rect(m_left, top, m_style.width - m_left - Margin, height, m_colors.panel);
                if (group == nullptr || *group != lane.group)
                    text(Margin, top - 8, lane.group, m_colors.text, "font-weight=\"600\"");
                text(Margin, top + 15, fitting(lane.name, LabelWidth - 8), m_colors.secondary);
                group = &lane.group;
            }
        }

        /// Round times of which about a dozen fit.
        void axis()
        {
            if (m_drawing.arrangement != Arrangement::ByTime)
                return;
            constexpr double Ticks = 10;
            const double raw = m_drawing.width / Ticks;
            const double power = std::pow(10, std::floor(std::log10(raw)));
            const double digit = raw / power;
            const double step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
            const int count = static_cast<int>(m_drawing.width / step) + 1;
            for (int i = 0; i < count; ++i) {
                const double at = i * step;
                rect(xOf(at), m_top - 4, 1, m_rows.height + 4, m_colors.line);
                const std::string label
                    = at > 0 ? durationText(static_cast<std::int64_t>(at), 3) : "0";
                if (xOf(at) + 3 + GlyphWidth * static_cast<double>(label.size())
                    < m_style.width - Margin)
                    text(xOf(at) + 3, m_top - 8, label, m_colors.secondary);
            }
        }

        void links()
        {
            const SeenLinks seen = seenLinks(m_drawing, 0, m_drawing.width, 1 / m_scale);
            constexpr std::size_t Many = 100;
            const char *color = seen.links.size() > Many ? m_colors.faint : m_colors.secondary;
            m_linksLeftOut = seen.leftOut;
            for (const SeenLink &one : seen.links) {
                const DrawnLink &link = m_drawing.links[one.link];
                if (link.isOnPath)
                    continue; // the path itself shows it
                const auto way = routeOf(m_drawing, m_rows, link, m_scale, m_left);
                m_out += "<polyline points=\"";
                for (const Point &point : way)
                    m_out += pixelText(point.x) + "," + pixelText(m_top + point.y) + " ";
                m_out += std::string("\" fill=\"none\" stroke=\"") + color + "\" stroke-width=\""
                    + pixelText(thicknessOf(link.bytes)) + "\""
                    + (link.provenance == Provenance::Inferred      ? " stroke-dasharray=\"2 3\""
                           : link.provenance == Provenance::Derived ? " stroke-dasharray=\"6 2\""
                                                                    : "")
                    + "/>\n";
                if (m_drawing.blocks[link.from].row != m_drawing.blocks[link.to].row)
                    arrow(way[3], way[3].y > way[2].y, color);
            }
        }

        void blocks()
        {
            for (const SeenBlock &seen : seenBlocks(m_drawing, 0, m_drawing.width, 1 / m_scale))
                block(seen);
        }

        void block(const SeenBlock &seen)
        {
            const DrawnBlock &drawn = m_drawing.blocks[seen.block];
            const double x = xOf(seen.left), y = topOf(drawn.row);
            const double width = std::max(1.0, xOf(seen.right) - x);
            const std::uint32_t fill = fillOf(drawn.role);
            const std::string rounded = width > 6 ? "rx=\"3\" " : "";
            m_out += "<g><title>" + markupText(hintOf(drawn, seen.count)) + "</title>\n";
            if (drawn.isOpen) {
                rect(x, y, width, m_rows.rowHeight - 2, mixed(fill), // nothing shows through
                     rounded + "stroke=\"" + hexColor(fill) + "\"");
            } else {
                rect(x, y, width, m_rows.rowHeight - 2, m_colors.panel);
                rect(x, y, width, m_rows.rowHeight - 2, hexColor(fill),
                     rounded + "stroke=\"" + m_colors.panel + "\" stroke-width=\"0.5\"");
            }
            const double waited
                = seen.count > 1 ? 0 : xOf(waitEndOf(m_drawing, drawn)) - xOf(drawn.left);
            if (waited > 1) {
                rect(x, y, waited, m_rows.rowHeight - 2, m_colors.panel);
                hatch(x, y, waited, m_rows.rowHeight - 2);
            }
            slack(drawn, x + width, y);
            if (seen.count == 1)
                label(drawn, x + waited, y, width - waited, fill);
            m_out += "</g>\n";
        }

        void slack(const DrawnBlock &block, double x, double y)
        {
            if (block.slackNs <= 0 || block.isOpen || m_drawing.arrangement != Arrangement::ByTime)
                return;
            const double width
                = std::min(static_cast<double>(block.slackNs) * m_scale, xOf(m_drawing.width) - x);
            if (width > 1)
                rect(x, y + m_rows.rowHeight - 5, width, 2, hexColor(fillOf(block.role)),
                     "fill-opacity=\"0.35\"");
        }

        void label(const DrawnBlock &block, double x, double y, double width, std::uint32_t fill)
        {
            const std::string color = block.isOpen ? m_colors.text
                : isBright(fill)                   ? "#0E1116"
                                                   : "#FFFFFF";
            const auto widthOf = [](const std::string &shown) {
                return GlyphWidth * static_cast<double>(shown.size());
            };
            std::string label = titleWithin(block, width - 12, widthOf);
            const std::string count = " (" + std::to_string(block.count) + ")";
            if (block.count > 1 && widthOf(label + count) <= width - 12 && label == titleOf(block))
                label += count;
            text(x + 5, y + 14, label, color);
        }

        static std::string hintOf(const DrawnBlock &block, std::uint32_t count)
        {
            std::string hint = count > 1 ? std::to_string(count) + " blocks, the longest: " : "";
            hint += titleOf(block) + ", " + durationText(block.durationNs());
            if (block.waitNs > 0)
                hint += ", of which " + durationText(block.waitNs) + " waiting";
            if (block.count > 1)
                hint += ", " + std::to_string(block.count) + " operations";
            if (block.path)
                hint += ", on the critical path for " + durationText(block.onPathNs);
            else if (block.slackNs > 0)
                hint += ", slack " + durationText(block.slackNs);
            return hint;
        }

        /// Around what it is in, and from there to the next block.
        void path()
        {
            std::string line;
            for (std::size_t i = 0; i < m_drawing.path.size(); ++i) {
                const PathStep &step = m_drawing.path[i];
                const double x = xOf(step.left), y = topOf(m_drawing.blocks[step.block].row);
                const double end = std::max(x + 1, xOf(step.right));
                const double below = y + m_rows.rowHeight - 2;
                if (end - x < ThinPath) // outlines side by side would be a bar
                    line += "M" + pixelText(x) + "," + pixelText(below) + " H" + pixelText(end)
                        + " ";
                else
                    line += "M" + pixelText(x) + "," + pixelText(y) + " H" + pixelText(end) + " V"
                        + pixelText(below) + " H" + pixelText(x) + " Z ";
                if (step.continues && i + 1 < m_drawing.path.size())
                    line += connector(step, m_drawing.path[i + 1]);
            }
            if (line.empty())
                return;
            for (const auto &[color, width] :
                 { std::pair(m_colors.casing, "4"), std::pair(m_colors.path, "2") })
                m_out += "<path d=\"" + line + "\" fill=\"none\" stroke=\"" + color
                    + "\" stroke-width=\"" + width + "\" stroke-linejoin=\"round\"/>\n";
        }

        /// As in the window: a bar is added, a corner moved, dashes are where it was.
        void marks()
        {
            if (m_style.difference == nullptr)
                return;
            const double height = m_rows.rowHeight - 2;
            for (const SeenBlock &seen : seenBlocks(m_drawing, 0, m_drawing.width, 1 / m_scale)) {
                const double x = xOf(seen.left), y = topOf(m_drawing.blocks[seen.block].row);
                mark(m_style.difference->changes[seen.block], x, y, xOf(seen.right) - x, height);
            }
            for (const GhostBlock &ghost : m_style.difference->ghosts) {
                const double x = xOf(std::min(ghost.left, m_drawing.width));
                const double width = xOf(std::min(ghost.right, m_drawing.width)) - x;
                if (ghost.isRemoved)
                    mark(BlockChange::Removed, x, topOf(ghost.row), width, height);
                else
                    dashes(x, topOf(ghost.row), std::max(2.0, width), height);
            }
        }

        void dashes(double x, double y, double width, double height)
        {
            rect(x, y, width, height, "none",
                 std::string("stroke=\"") + m_colors.text + "\" stroke-dasharray=\"4 2\"");
        }

        void shape(const std::string &way, const std::string &more)
        {
            m_out += "<path d=\"" + way + "\" " + more + "/>\n";
        }

        void mark(BlockChange change, double x, double y, double width, double height)
        {
            constexpr double Bar = 4, Notch = 7;
            switch (change) {
            case BlockChange::Added:
                rect(x, y, std::min(Bar, width), height, m_colors.text);
                break;
            case BlockChange::Moved:
                shape("M" + pixelText(x) + "," + pixelText(y) + " h"
                          + pixelText(std::min(Notch, std::max(1.0, width))) + " L" + pixelText(x)
                          + "," + pixelText(y + Notch) + " Z",
                      std::string("fill=\"") + m_colors.text + "\"");
                break;
            case BlockChange::Removed: {
                dashes(x, y, std::max(2.0, width), height);
                const double side = std::min(height, width), left = x + width - side;
                shape("M" + pixelText(left) + "," + pixelText(y) + " l" + pixelText(side) + ","
                          + pixelText(height) + " M" + pixelText(left) + "," + pixelText(y + height)
                          + " l" + pixelText(side) + "," + pixelText(-height),
                      std::string("stroke=\"") + m_colors.text + "\" stroke-width=\"2\"");
                break;
            }
            case BlockChange::Same:
                break;
            }
        }

        /// Of the marks that there are.
        void legendOfMarks(double &x, double &y)
        {
            if (m_style.difference == nullptr)
                return;
            constexpr double Swatch = 18, SwatchHeight = 10;
            const auto entry = [&](const char *title) {
                text(x + Swatch + 4, y, title, m_colors.secondary);
                x += Swatch + 20 + GlyphWidth * static_cast<double>(std::string(title).size());
            };
            const std::array kinds { std::pair(BlockChange::Added, "added"),
                                     std::pair(BlockChange::Moved, "moved"),
                                     std::pair(BlockChange::Removed, "removed") };
            const DrawingDifference &difference = *m_style.difference;
            for (const auto &[change, title] : kinds) {
                const bool isGhost
                    = std::any_of(difference.ghosts.begin(), difference.ghosts.end(),
                                  [](const GhostBlock &ghost) { return ghost.isRemoved; });
                if (std::count(difference.changes.begin(), difference.changes.end(), change) == 0
                    && !(change == BlockChange::Removed && isGhost))
                    continue;
                wrapLegend(title, x, y);
                mark(change, x, y - 9, Swatch, SwatchHeight);
                entry(title);
            }
            if (difference.moved > 0) {
                wrapLegend("where it was", x, y);
                dashes(x, y - 9, Swatch, SwatchHeight);
                entry("where it was");
            }
        }

        std::string connector(const PathStep &from, const PathStep &to) const
        {
            const DrawnLink link { from.block, to.block, from.right, to.left };
            const auto way = routeOf(m_drawing, m_rows, link, m_scale, m_left);
            std::string line;
            for (std::size_t i = 0; i < way.size(); ++i)
                line += (i == 0 ? "M" : "L") + pixelText(way[i].x) + ","
                    + pixelText(m_top + way[i].y) + " ";
            return line;
        }

        void lineEntry(const std::string &title, const std::string &color, const std::string &more,
                       double &x, double &y)
        {
            wrapLegend(title, x, y);
            m_out += "<path d=\"M" + pixelText(x) + "," + pixelText(y - 4)
                + " h18\" fill=\"none\" stroke=\"" + color + "\" stroke-width=\"1.5\" " + more
                + "/>\n";
            text(x + 22, y, title, m_colors.secondary);
            x += 38 + GlyphWidth * static_cast<double>(title.size());
        }

        void endMark()
        {
            if (m_style.endNs <= 0 || m_style.endNs > m_drawing.width * 1.001)
                return;
            const double x = xOf(m_style.endNs);
            const double top = m_top - 6, bottom = m_top + m_rows.height + 4;
            m_out += "<path d=\"M" + pixelText(x) + "," + pixelText(top) + " V" + pixelText(bottom)
                + "\" fill=\"none\" stroke=\"" + m_colors.text
                + "\" stroke-width=\"1.2\" stroke-dasharray=\"5 3\"/>\n";
            const std::string label = "end " + durationText(std::llround(m_style.endNs));
            text(x - 4, bottom + 8, label, m_colors.text, "text-anchor=\"end\"");
        }

        /// Lines that wrap. Returns the place of the last one.
        double legend(double y)
        {
            std::set<Role> roles;
            bool isWaiting = false;
            for (const DrawnBlock &block : m_drawing.blocks) {
                roles.insert(block.role);
                isWaiting = isWaiting || block.waitNs > 0;
            }
            double x = m_left;
            const auto entry = [&](const std::string &fill, const std::string &title) {
                wrapLegend(title, x, y);
                rect(x, y - 9, 14, 10, fill);
                text(x + 18, y, title, m_colors.secondary);
                x += 34 + GlyphWidth * static_cast<double>(title.size());
            };
            for (const Role role : roles)
                entry(hexColor(fillOf(role)), std::string(roleName(role)));
            if (isWaiting) {
                const std::string title = "waiting for other ranks";
                wrapLegend(title, x, y);
                hatch(x, y - 9, 14, 10);
                entry("none", title);
            }
            if (!m_drawing.path.empty())
                entry(m_colors.path, "critical path");
            if (m_drawing.arrangement == Arrangement::ByTime)
                lineEntry("slack", hexColor(fillOf(Role::Communication)), "stroke-opacity=\"0.35\"",
                          x, y);
            legendOfMarks(x, y);
            if (!m_drawing.links.empty())
                legendOfLinks(x, y);
            return y;
        }

        /// On to the next line where an entry does not fit.
        void wrapLegend(const std::string &title, double &x, double &y) const
        {
            constexpr double Swatch = 22;
            const double end = x + Swatch + GlyphWidth * static_cast<double>(title.size());
            if (x <= m_left || end <= m_style.width - Margin)
                return;
            x = m_left;
            y += LegendLine;
        }

        void legendOfLinks(double &x, double &y)
        {
            lineEntry("recorded", m_colors.secondary, "", x, y);
            lineEntry("derived", m_colors.secondary, "stroke-dasharray=\"6 2\"", x, y);
            lineEntry("inferred", m_colors.secondary, "stroke-dasharray=\"2 3\"", x, y);
            if (m_linksLeftOut == 0)
                return;
            const std::string more = "and " + std::to_string(m_linksLeftOut) + " more links";
            wrapLegend(more, x, y);
            text(x, y, more, m_colors.secondary);
        }

        const Drawing &m_drawing;
        const SvgStyle &m_style;
        const Colors &m_colors;
        RowPlaces m_rows;
        double m_left, m_top = 0, m_scale;
        std::size_t m_linksLeftOut = 0;
        std::string m_out;
    };

} // namespace

SvgPicture svgPicture(const Drawing &drawing, const std::string &title, const SvgStyle &style)
{
    return SvgWriter(drawing, style).write(title);
}

std::string svgDocument(const SvgPicture &picture)
{
    const std::string width = pixelText(picture.width), height = pixelText(picture.height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height
        + "\" viewBox=\"0 0 " + width + " " + height + "\" font-family=\"" + SvgFonts + "\">\n"
        + picture.content + "</svg>\n";
}

std::string svgText(const Drawing &drawing, const std::string &title, const SvgStyle &style)
{
    return svgDocument(svgPicture(drawing, title, style));
}

} // namespace core
