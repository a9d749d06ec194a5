#include "core/measure/trust_level.h"

namespace core {

std::string_view trustLevelName(TrustLevel level)
{
    switch (level) {
    case TrustLevel::Good:
        return "good";
    case TrustLevel::Fair:
        return "fair";
    case TrustLevel::Poor:
        break;
    }
    return "poor";
}

} // namespace core
