#include "core/change/checked_factor.h"

#include "core/measure/exact_text.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    /// Of what was compared with no measured job: below that it is taken to be as it was.
    constexpr double NeverChecked = 2;
    constexpr double Rounding = 1e-9;

} // namespace

double factorAway(double ratio)
{
    return ratio > 0 ? std::max(ratio, 1 / ratio) : 1;
}

std::string factorText(double factor)
{
    return exactText(factor < 10 ? std::round(factor * 10) / 10 : std::round(factor));
}

std::optional<TrustReason> beyondChecked(double factor, double checked, const std::string &what)
{
    if (factor <= checked * (1 + Rounding))
        return std::nullopt;
    return TrustReason { factor >= checked * FarBeyond ? TrustLevel::Poor : TrustLevel::Fair,
                         what + ": predictions were checked up to a factor of "
                             + factorText(checked) + "." };
}

std::optional<TrustReason> neverChecked(double scale, const std::string &what)
{
    const double factor = factorAway(scale);
    if (factor <= NeverChecked * (1 + Rounding))
        return std::nullopt;
    return TrustReason { factor >= NeverChecked * FarBeyond ? TrustLevel::Poor : TrustLevel::Fair,
                         what + " " + factorText(factor) + " times as "
                             + (scale > 1 ? "long" : "short")
                             + " as recorded: such predictions were compared with no measured "
                               "job." };
}

Change clampedTo(Change change, double low, double high)
{
    if (const auto number = change.number())
        change.value = std::clamp(*number, low, high);
    return change;
}

} // namespace core
