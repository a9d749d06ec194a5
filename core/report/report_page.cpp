#include "core/report/report_page.h"

#include "core/export/graph/markup.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace core {

namespace {

    constexpr double LineSpacing = 1.35;

    bool continuesCharacter(char byte)
    {
        return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    }

    /// Advance of DejaVu Sans, parts of the font's size; bytes that continue a character have none.
    double advanceOf(char byte)
    {
        constexpr std::string_view Narrow = "iljI.,;:'|!()[]/ ft", Wide = "mwMW@%";
        if (continuesCharacter(byte))
            return 0;
        if (Narrow.find(byte) != std::string_view::npos)
            return 0.4;
        if (Wide.find(byte) != std::string_view::npos)
            return 0.98;
        return (byte >= 'A' && byte <= 'Z') ? 0.72 : 0.635;
    }

    /// "ms" or "MiB)." behind a number, which stays on its line.
    bool isUnit(std::string_view word)
    {
        constexpr std::array<std::string_view, 15> Units {
            "ns",  "us",  "ms",  "s",    "min",  "h",    "%",     "B",
            "KiB", "MiB", "GiB", "kB/s", "MB/s", "GB/s", "Mbit/s"
        };
        word = word.substr(0, word.find_last_not_of(".,;:)") + 1);
        return std::find(Units.begin(), Units.end(), word) != Units.end();
    }

    /// End of the word that begins at a place: the next space, but behind a number's unit.
    std::size_t wordEnd(const std::string &text, std::size_t begin)
    {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const bool isNumber = end > begin && text[end - 1] >= '0' && text[end - 1] <= '9';
        if (!isNumber || end == text.size())
            return end;
        const std::size_t next = std::min(text.find(' ', end + 1), text.size());
        return isUnit(std::string_view(text).substr(end + 1, next - end - 1)) ? next : end;
    }

} // namespace

double textWidth(std::string_view text, const TextStyle &style)
{
    constexpr double Bold = 1.1;
    double width = 0;
    for (const char byte : text)
        width += advanceOf(byte);
    return width * style.size * (style.isBold ? Bold : 1);
}

std::string shortened(const std::string &text, double width, const TextStyle &style)
{
    if (textWidth(text, style) <= width)
        return text;
    std::size_t end = text.size();
    while (end > 0
           && (continuesCharacter(text[end])
               || textWidth(text.substr(0, end), style) + style.size > width))
        --end;
    return text.substr(0, end) + "\u2026";
}

std::vector<std::string> wrapped(const std::string &text, double width, const TextStyle &style)
{
    std::vector<std::string> lines { "" };
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = wordEnd(text, begin);
        const std::string word = shortened(text.substr(begin, end - begin), width, style);
        begin = end + 1;
        std::string &line = lines.back();
        const std::string longer = line.empty() ? word : line + " " + word;
        if (line.empty() || textWidth(longer, style) <= width)
            line = longer;
        else
            lines.push_back(word);
    }
    return lines;
}

double paragraphHeight(const std::string &text, const TextStyle &style, double width)
{
    return text.empty()
        ? 0
        : static_cast<double>(wrapped(text, width, style).size()) * style.size * LineSpacing;
}

void ReportPages::begin()
{
    m_pages.emplace_back();
    m_y = PageMargin;
}

void ReportPages::need(double height)
{
    if (m_y + height > bottom() && m_y > PageMargin)
        begin();
}

void ReportPages::rect(double x, double y, double width, double height, std::string_view fill)
{
    m_pages.back() += "<rect x=\"" + pixelText(x) + "\" y=\"" + pixelText(y) + "\" width=\""
        + pixelText(width) + "\" height=\"" + pixelText(height) + "\" fill=\"" + std::string(fill)
        + "\"/>\n";
}

void ReportPages::text(double x, double y, const std::string &shown, const TextStyle &style)
{
    if (shown.empty())
        return;
    m_pages.back() += "<text x=\"" + pixelText(x) + "\" y=\"" + pixelText(y) + "\" font-size=\""
        + pixelText(style.size) + "\" fill=\"" + std::string(style.color) + "\""
        + (style.isBold ? " font-weight=\"600\"" : "")
        + (style.isRight ? " text-anchor=\"end\"" : "") + ">" + markupText(shown) + "</text>\n";
}

void ReportPages::picture(double x, double y, double scale, const std::string &content)
{
    std::array<char, 32> factor {};
    std::snprintf(factor.data(), factor.size(), "%.4f", scale);
    m_pages.back() += "<g transform=\"translate(" + pixelText(x) + " " + pixelText(y) + ") scale("
        + factor.data() + ")\">\n" + content + "</g>\n";
}

void ReportPages::paragraph(const std::string &shown, const TextStyle &style, double x,
                            double width)
{
    for (const std::string &line : wrapped(shown, width, style)) {
        need(style.size * LineSpacing);
        text(x, m_y + style.size, line, style);
        m_y += style.size * LineSpacing;
    }
}

void ReportPages::heading(const std::string &shown)
{
    constexpr double Above = 18, Size = 14, WithContent = 70;
    need(Above + WithContent);
    m_y += Above;
    paragraph(shown, { .size = Size, .isBold = true });
    m_y += 2;
}

std::vector<std::string> ReportPages::finish(const std::string &footer)
{
    const TextStyle style { .size = 9, .color = ink::Secondary };
    const std::string count = std::to_string(m_pages.size());
    std::vector<std::string> pages = std::move(m_pages);
    m_pages.clear();
    for (std::size_t i = 0; i < pages.size(); ++i) {
        m_pages.push_back(std::move(pages[i]));
        const double y = PageHeight - PageMargin / 1.5;
        rect(PageMargin, y - 16, PageContentWidth, 1, ink::Line);
        text(PageMargin, y, shortened(footer, PageContentWidth - 90, style), style);
        TextStyle right = style;
        right.isRight = true;
        text(PageWidth - PageMargin, y, "page " + std::to_string(i + 1) + " of " + count, right);
    }
    return std::move(m_pages);
}

} // namespace core
