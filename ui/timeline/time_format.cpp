#include "ui/timeline/time_format.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace ui {
namespace {

    struct Unit
    {
        std::int64_t ns;
        const char16_t *name;
    };

    constexpr std::array<Unit, 4> Units {
        { { 1'000'000'000, u"s" }, { 1'000'000, u"ms" }, { 1'000, u"\u00b5s" }, { 1, u"ns" } }
    };

    const Unit &unitFor(std::int64_t ns)
    {
        const auto magnitude = std::abs(ns);
        const auto unit
            = std::ranges::find_if(Units, [magnitude](const Unit &u) { return magnitude >= u.ns; });
        return unit == Units.end() ? Units.back() : *unit;
    }

    QString withUnit(double value, int decimals, const Unit &unit)
    {
        return QString::number(value, 'f', decimals) + QChar(0x2009)
            + QString::fromUtf16(unit.name);
    }

} // namespace

QString formatInstant(std::int64_t ns, std::int64_t stepNs, std::int64_t scaleNs)
{
    const Unit &unit = unitFor(std::max({ std::abs(ns), stepNs, scaleNs }));
    const double value = static_cast<double>(ns) / static_cast<double>(unit.ns);
    int decimals = 0;
    for (std::int64_t step = unit.ns; step > stepNs && decimals < 9; step /= 10) {
        ++decimals;
    }
    return withUnit(value, decimals, unit);
}

} // namespace ui
