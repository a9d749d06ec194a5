#pragma once

#include <string>
#include <string_view>

namespace core {

/// How far a prediction on this trace can be relied on.
enum class TrustLevel {
    Good, ///< the self-replay is within 2 % in all and 5 % of an iteration in each part, all ranks
          ///< and the same 3 or more iterations of each are there, and clocks agree within 25 % of
          ///< one
    Fair,
    Poor ///< the self-replay is off by more than 5 %, or a part by more than 15 % of an iteration
};

/// "good", "fair", "poor".
std::string_view trustLevelName(TrustLevel level);

struct TrustReason
{
    TrustLevel level; ///< the best that a prediction still deserves
    std::string text; ///< for people
};

} // namespace core
