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
};

/// The drawing as a picture: lanes with their names, blocks, links, critical path, legend. `title`
/// stands above it, its second line smaller.
std::string svgText(const Drawing &drawing, const std::string &title, const SvgStyle &style);

} // namespace core
