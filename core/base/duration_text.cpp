#include "core/base/duration_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

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

    struct TimeUnit
    {
        double ns;
        const char *name;
    };

    constexpr std::array TimeUnits { TimeUnit { 1e3, "us" }, TimeUnit { 1e6, "ms" },
                                     TimeUnit { 1e9, "s" } };
    constexpr std::int64_t NsPerSecond = 1'000'000'000;

    /// Decimals that leave so many significant digits of what is at least 1 and below 1000.
    int decimalsOf(double value, int digits)
    {
        int decimals = std::max(0, digits - 1);
        for (double limit = 10; decimals > 0; limit *= 10, --decimals)
            if (std::round(value * std::pow(10, decimals)) < limit * std::pow(10, decimals))
                break;
        return decimals;
    }

    /// Decimals in a unit of 10^`unitExponent` ns that show two digits of an uncertainty.
    int decimalsFor(std::int64_t uncertaintyNs, int unitExponent)
    {
        int exponent = 0; // of its first digit
        for (std::int64_t rest = uncertaintyNs; rest >= 10; rest /= 10)
            ++exponent;
        return std::clamp(unitExponent - (exponent - 1), 0, unitExponent);
    }

    /// A unit of durations from a minute on.
    struct LongUnit
    {
        std::int64_t seconds;
        const char *one;
        const char *many;
    };

    constexpr std::array LongUnits { LongUnit { 365 * 86'400, "year", "years" },
                                     LongUnit { 86'400, "day", "days" },
                                     LongUnit { 3'600, "h", "h" }, LongUnit { 60, "min", "min" },
                                     LongUnit { 1, "s", "s" } };

    /// In a unit and the next smaller one, which it is rounded to.
    std::string longText(std::int64_t ns)
    {
        const std::int64_t seconds = ns / NsPerSecond + (ns % NsPerSecond >= NsPerSecond / 2);
        std::size_t unit = 0;
        while (unit + 2 < LongUnits.size() && seconds < LongUnits[unit].seconds)
            ++unit;
        const LongUnit &large = LongUnits[unit], &small = LongUnits[unit + 1];
        const std::int64_t smallCount = (seconds + small.seconds / 2) / small.seconds;
        const std::int64_t rounded = smallCount * small.seconds;
        if (unit > 0 && rounded >= LongUnits[unit - 1].seconds)
            return longText(rounded * NsPerSecond);
        const auto withName = [](std::int64_t count, const LongUnit &of) {
            return std::to_string(count) + " " + (count == 1 ? of.one : of.many);
        };
        const std::int64_t ratio = large.seconds / small.seconds;
        return withName(smallCount / ratio, large) + " " + withName(smallCount % ratio, small);
    }

} // namespace

std::string durationText(std::int64_t ns, int digits)
{
    if (ns < 0)
        return "-" + durationText(-std::max(ns, -std::numeric_limits<std::int64_t>::max()), digits);
    if (ns < 1000)
        return std::to_string(ns) + " ns";
    if (ns >= 60 * NsPerSecond)
        return longText(ns);
    const auto value = static_cast<double>(ns);
    std::size_t unit = 0;
    // What rounds to 1000 of a unit is 1 of the next.
    while (unit + 1 < TimeUnits.size()
           && value / TimeUnits[unit].ns >= 1000 - 5 * std::pow(10, 2 - digits))
        ++unit;
    const double number = value / TimeUnits[unit].ns;
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "%.*f %s", decimalsOf(number, digits), number,
                  TimeUnits[unit].name);
    return text.data();
}

std::string offsetText(std::int64_t ns, std::int64_t uncertaintyNs)
{
    constexpr int LeastDigits = 4, ExponentStep = 3;
    const std::int64_t size
        = std::abs(std::max(ns, -std::numeric_limits<std::int64_t>::max())); // has no opposite
    const std::string sign = ns == 0 ? "" : ns < 0 ? "-" : "+";
    if (size < 1000)
        return sign + std::to_string(size) + " ns";
    int exponent = ExponentStep;
    std::size_t unit = 0;
    for (; unit + 1 < TimeUnits.size() && static_cast<double>(size) >= TimeUnits[unit + 1].ns;
         ++unit)
        exponent += ExponentStep;
    const auto unitNs = static_cast<std::int64_t>(TimeUnits[unit].ns);
    const int least = std::min(
        exponent, decimalsOf(static_cast<double>(size) / TimeUnits[unit].ns, LeastDigits));
    const int decimals = std::max(least, decimalsFor(uncertaintyNs, exponent));
    // By whole numbers: a double has no nanoseconds left beside years.
    std::int64_t step = 1;
    for (int i = decimals; i < exponent; ++i)
        step *= 10;
    const std::int64_t steps = size / step + (size % step >= (step + 1) / 2 && step > 1 ? 1 : 0);
    if (unit + 1 < TimeUnits.size() && steps * step >= 1000 * unitNs) // rounded up to the next unit
        return offsetText(ns < 0 ? -steps * step : steps * step, uncertaintyNs);
    const std::int64_t perUnit = unitNs / step;
    std::string fraction = std::to_string(steps % perUnit);
    fraction.insert(0,
                    static_cast<std::size_t>(decimals)
                        - std::min(fraction.size(), static_cast<std::size_t>(decimals)),
                    '0');
    // What a user set has no more digits than were given.
    while (uncertaintyNs == 0 && fraction.size() > static_cast<std::size_t>(least)
           && fraction.ends_with('0'))
        fraction.pop_back();
    return sign + std::to_string(steps / perUnit)
        + (fraction.empty() || decimals == 0 ? "" : "." + fraction) + " " + TimeUnits[unit].name;
}

std::string percentText(double fraction)
{
    constexpr double SmallestShown = 0.05, Tens = 9.95;
    const double percent = std::abs(fraction) * 100;
    if (percent == 0)
        return "0 %";
    if (percent < SmallestShown)
        return "<0.1 %";
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "%.*f %%", percent < Tens ? 1 : 0, fraction * 100);
    return text.data();
}

std::string countText(std::size_t count, const std::string &noun)
{
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string rateText(double mbitPerSec)
{
    constexpr double KilobyteOfMbit = 125, Thousand = 1000, Tens = 9.995, Hundreds = 99.95,
                     Whole = 999.5;
    double value = mbitPerSec * KilobyteOfMbit;
    const char *unit = "kB/s";
    for (const char *larger : { "MB/s", "GB/s" }) {
        if (value < Whole)
            break;
        value /= Thousand;
        unit = larger;
    }
    const int decimals = value < Tens ? 2 : value < Hundreds ? 1 : 0;
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
    return text.data();
}

std::string nominalRateText(double mbitPerSec)
{
    constexpr double Tens = 9.995;
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "%.*f Mbit/s", mbitPerSec < Tens ? 2 : 0, mbitPerSec);
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
