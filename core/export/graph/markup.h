#pragma once

#include <cstdint>
#include <string>

namespace core {

/// A text within XML: marks are escaped; characters that XML does not take, and bytes that are not
/// UTF-8, become question marks.
std::string markupText(const std::string &text);

/// "12.5", "12": a length in pixels, with a decimal where there is one.
std::string pixelText(double value);

/// "#3B7DD8" of 0x3B7DD8.
std::string hexColor(std::uint32_t color);

} // namespace core
