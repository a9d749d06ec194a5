#include "core/align/message_clock.h"

#include "core/align/clock_offsets.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    constexpr int SearchSteps = 100;

    /// The best offset for one drift.
    std::optional<MessageClock> withDrift(const std::vector<MessageBound> &bounds, double drift)
    {
        constexpr double Infinite = std::numeric_limits<double>::infinity();
        double upper = Infinite, lower = -Infinite;
        for (const MessageBound &bound : bounds) {
            const double atOrigin = bound.boundNs - drift * bound.timeNs;
            if (bound.isUpper)
                upper = std::min(upper, atOrigin);
            else
                lower = std::max(lower, atOrigin);
        }
        if (upper == Infinite || lower == -Infinite)
            return std::nullopt;
        return MessageClock { (upper + lower) / 2, drift, (upper - lower) / 2 };
    }

} // namespace

std::optional<MessageClock> fitMessageClock(const std::vector<MessageBound> &bounds)
{
    const std::optional<MessageClock> steady = withDrift(bounds, 0);
    if (!steady || steady->reachNs >= 0)
        return steady;
    // The reach is concave in the drift: it is a minimum of lines.
    double low = -LargestDrift, high = LargestDrift;
    for (int step = 0; step < SearchSteps; ++step) {
        const double left = low + (high - low) / 3, right = high - (high - low) / 3;
        if (withDrift(bounds, left)->reachNs < withDrift(bounds, right)->reachNs)
            low = left;
        else
            high = right;
    }
    // A message that is matched wrongly contradicts the others whatever the drift.
    const std::optional<MessageClock> drifting = withDrift(bounds, (low + high) / 2);
    return drifting->reachNs >= 0 ? drifting : steady;
}

} // namespace core
