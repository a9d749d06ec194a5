#pragma once

#include <string>

namespace core {

/// A number without an exponent, in the fewest digits that tell it from all others: "46.8".
std::string exactText(double value);

} // namespace core
