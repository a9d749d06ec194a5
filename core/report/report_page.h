#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// A4 at 96 pixels an inch.
inline constexpr double PageWidth = 794, PageHeight = 1123, PageMargin = 48;
inline constexpr double PageContentWidth = PageWidth - 2 * PageMargin;

/// Colours of a report, which is printed: of the light theme.
namespace ink {
    inline constexpr std::string_view Text = "#1B1F24", Secondary = "#5B6470", Line = "#D8DBE0",
                                      Panel = "#F4F5F7", Better = "#1B7F79", Accent = "#0B6BCB";
} // namespace ink

struct TextStyle
{
    double size = 11; ///< pixels
    bool isBold = false;
    std::string_view color = ink::Text;
    bool isRight = false; ///< ends at x
};

/// Width of a text in the widest of the fonts that it may be drawn in (DejaVu Sans), pixels.
double textWidth(std::string_view text, const TextStyle &style);

/// Lines of a text that are no wider than `width`; a word that is wider is a line of its own,
/// without its end. At least one.
std::vector<std::string> wrapped(const std::string &text, double width, const TextStyle &style);

/// As much of a text as fits, with a sign of what is left out.
std::string shortened(const std::string &text, double width, const TextStyle &style);

/// Height of ReportPages::paragraph(); 0 of no text.
double paragraphHeight(const std::string &text, const TextStyle &style, double width);

/// Pages under a pen that goes down, and on to the next page where the place does not suffice.
class ReportPages
{
public:
    ReportPages() { begin(); }

    double y() const { return m_y; } ///< of the pen
    static constexpr double bottom() { return PageHeight - 2 * PageMargin / 1.5; }
    /// Height that is left on this page, and on an empty one.
    double room() const { return bottom() - m_y; }
    static constexpr double fullRoom() { return bottom() - PageMargin; }
    void skip(double height) { m_y += height; }
    /// Begins a page unless there are `height` pixels left on this one.
    void need(double height);

    /// Elements at absolute places; the pen stays.
    void rect(double x, double y, double width, double height, std::string_view fill);
    void text(double x, double y, const std::string &shown, const TextStyle &style);
    void picture(double x, double y, double scale, const std::string &content);

    /// A text that wraps, below each other; the pen goes below it.
    void paragraph(const std::string &shown, const TextStyle &style, double x = PageMargin,
                   double width = PageContentWidth);
    void heading(const std::string &shown);

    /// SVG elements of each page, with `footer` and its number on each.
    std::vector<std::string> finish(const std::string &footer);

private:
    void begin();

    std::vector<std::string> m_pages;
    double m_y = 0;
};

} // namespace core
