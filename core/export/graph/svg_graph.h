#pragma once

#include "core/blocks/difference.h"
#include "core/blocks/drawing.h"

#include <string>

namespace core {

struct SvgStyle
{
    double width = 1600; ///< pixels
    bool isDark = false;
    const DrawingDifference *difference = nullptr; ///< from another drawing, is marked; null: none
    double endNs = 0; ///< of the iteration, which gets a mark; 0: none
    bool hasLegend = true;
};

/// Around what a picture shows, pixels.
inline constexpr double SvgMargin = 16;

/// A picture without the element around it, to stand in another one.
struct SvgPicture
{
    double width = 0, height = 0; ///< pixels
    std::string content;
};

/// Text elements of pictures have this family, unless they name another.
inline constexpr const char *SvgFonts = "Noto Sans, DejaVu Sans, Helvetica, Arial, sans-serif";

/// An empty title takes no place.
SvgPicture svgPicture(const Drawing &drawing, const std::string &title, const SvgStyle &style);

/// An SVG document of a picture.
std::string svgDocument(const SvgPicture &picture);

/// The drawing as a picture: lanes with their names, blocks, links, critical path, legend. `title`
/// stands above it, its second line smaller.
std::string svgText(const Drawing &drawing, const std::string &title, const SvgStyle &style);

} // namespace core
