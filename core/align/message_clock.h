#pragma once

#include <optional>
#include <utility>
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

/// offset(t) = offsetNs + drift * t.
struct ClockLine
{
    double offsetNs = 0;
    double drift = 0;

    double at(double timeNs) const { return offsetNs + drift * timeNs; }
};

/// What a worker's messages leave open of its clock: the lines that satisfy them all are a convex
/// polygon in the plane of offset and drift (Duda, Harrus, Haddad, Bernard, Estimating global time
/// in distributed systems, 1987: the convex hull method).
struct MessageClock
{
    ClockLine line; ///< the one that is taken
    std::pair<double, double> drift; ///< the lowest and the highest that satisfy all messages
    /// Distance of the farthest line that satisfies all from the one that is taken, at the times
    /// asked for; negative: the messages contradict each other by that much, and `drift` says
    /// nothing.
    double reachNs = 0;
};

struct MessageFit
{
    double firstNs = 0, lastNs = 0; ///< the times that matter
    double largestDrift = 0; ///< 0: the clock is known not to drift
    /// Taken instead of the middle if it satisfies all messages.
    std::optional<ClockLine> preferred = std::nullopt;
    /// A constant offset is taken instead of the middle if one satisfies all messages.
    bool prefersConstant = false;
};

/// The line in the middle: from it the farthest line that satisfies all messages is nearest. Where
/// none does, half way between the tightest bounds at no drift. Empty where bounds of one side are
/// missing.
std::optional<MessageClock> fitMessageClock(const std::vector<MessageBound> &bounds,
                                            const MessageFit &fit);

} // namespace core
