#include "core/base/duration_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace core {

namespace {

    std::string withUnit(double value, const char *unit)
    {
        const double size = std::abs(value);
        const int decimals = size >= 99.95 || value == std::floor(value) ? 0
            : size >= 9.995                                              ? 1
                                                                         : 2;
        std::array<char, 64> text {};
        std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
        return text.data();
    }

} // namespace

std::string durationText(std::int64_t ns)
{
    const auto value = static_cast<double>(ns);
    const double size = std::abs(value);
    if (size < 1e3)
        return withUnit(value, "ns");
    if (size < 1e6)
        return withUnit(value / 1e3, "us");
    if (size < 1e9)
        return withUnit(value / 1e6, "ms");
    return withUnit(value / 1e9, "s");
}

std::string percentText(double fraction)
{
    std::array<char, 32> text {};
    const double percent = fraction * 100;
    std::snprintf(text.data(), text.size(), "%.*f %%", std::abs(percent) < 9.95 ? 1 : 0, percent);
    return text.data();
}

std::string bytesText(std::uint64_t bytes)
{
    const auto value = static_cast<double>(bytes);
    if (bytes < 1024)
        return withUnit(value, "bytes");
    if (bytes < 1024 * 1024)
        return withUnit(value / 1024, "KiB");
    if (bytes < 1024ULL * 1024 * 1024)
        return withUnit(value / (1024.0 * 1024), "MiB");
    return withUnit(value / (1024.0 * 1024 * 1024), "GiB");
}

} // namespace core
