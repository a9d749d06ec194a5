#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// What one message between a worker and one whose clock is known says: at timeNs (of the worker,
/// since any origin), what has to be added to its clock is at most or at least boundNs.
struct MessageBound
{
    double timeNs = 0;
    double boundNs = 0;
    bool isUpper = false;
};

/// offset(t) = offsetNs + drift * t, with how far the bounds let it be moved to either side.
struct MessageClock
{
    double offsetNs = 0;
    double drift = 0;
    double reachNs = 0; ///< negative: the messages contradict each other by that much
};

/// The line farthest from all bounds: the convex hull method of clock synchronisation in its
/// symmetric form. The clock drifts only where no constant offset satisfies all messages and a
/// drift does. Empty where bounds of one side are missing.
std::optional<MessageClock> fitMessageClock(const std::vector<MessageBound> &bounds);

} // namespace core
