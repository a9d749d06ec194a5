#include "core/scenario/exact_text.h"

#include <array>
#include <charconv>

namespace core {

std::string exactText(double value)
{
    std::array<char, 400>
        text {}; // a double has 309 digits before the point, or about 340 behind it
    const auto written
        = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    return { text.data(), written.ptr };
}

} // namespace core
