#include "core/measure/exact_text.h"

#include <array>
#include <charconv>

namespace core {

std::string exactText(double value)
{
    // A double has up to 309 digits before the point, or some 340 behind it.
    std::array<char, 400> text {};
    const auto written
        = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    return { text.data(), written.ptr };
}

} // namespace core
