#pragma once

#include "core/change/change.h"
#include "core/measure/trust_level.h"

#include <optional>
#include <string>

namespace core {

/// The largest factors of what-ifs that tests/accuracy compares with measured jobs.
inline constexpr double CheckedRate = 5, CheckedRanks = 2, CheckedTime = 2, CheckedSize = 5;
/// Four times the checked factor a prediction is poor.
inline constexpr double FarBeyond = 4;

/// 4 of both 4 and 1/4; 1 of what is not positive.
double factorAway(double ratio);

/// "3.5", "12".
std::string factorText(double factor);

/// What speaks against a prediction that is `factor` times what was measured, where up to `checked`
/// was compared with measured jobs; empty where that holds it.
std::optional<TrustReason> beyondChecked(double factor, double checked, const std::string &what);
/// The same of times that no measured job was changed by; 0 removes them, to tell a bound.
std::optional<TrustReason> neverChecked(double scale, const std::string &what);

/// The change with its number in [1 / checked, checked] times `measured`.
Change clampedTo(Change change, double low, double high);

} // namespace core
