#include "core/align/message_clock.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace core {

namespace {

    /// In order around it.
    using Corners = std::vector<ClockLine>;

    constexpr double NoBound = std::numeric_limits<double>::infinity();

    /// Negative: the line violates the bound.
    double roomNs(const ClockLine &line, const MessageBound &bound)
    {
        const double distanceNs = bound.boundNs - line.at(bound.timeNs);
        return bound.isUpper ? distanceNs : -distanceNs;
    }

    bool satisfiesAll(const ClockLine &line, const std::vector<MessageBound> &bounds)
    {
        return std::all_of(bounds.begin(), bounds.end(),
                           [&line](const auto &bound) { return roomNs(line, bound) >= 0; });
    }

    /// Half way between the tightest bounds at no drift; negative reach: they contradict each
    /// other. Empty where one side is missing.
    std::optional<MessageClock> constantOffset(const std::vector<MessageBound> &bounds)
    {
        double upper = NoBound, lower = -NoBound;
        for (const MessageBound &bound : bounds)
            (bound.isUpper ? upper : lower)
                = bound.isUpper ? std::min(upper, bound.boundNs) : std::max(lower, bound.boundNs);
        if (upper == NoBound || lower == -NoBound)
            return std::nullopt;
        return MessageClock { { (upper + lower) / 2, 0 }, {}, (upper - lower) / 2 };
    }

    /// All lines that may satisfy the bounds, and more.
    Corners everyLine(const std::vector<MessageBound> &bounds, double largestDrift)
    {
        double farthestNs = 0;
        for (const MessageBound &bound : bounds)
            farthestNs = std::max(farthestNs,
                                  std::abs(bound.boundNs) + largestDrift * std::abs(bound.timeNs));
        return { { -farthestNs, -largestDrift },
                 { farthestNs, -largestDrift },
                 { farthestNs, largestDrift },
                 { -farthestNs, largestDrift } };
    }

    /// Sutherland and Hodgman's clipping of a polygon by one half-plane.
    Corners cut(Corners corners, const MessageBound &bound)
    {
        if (std::all_of(corners.begin(), corners.end(),
                        [&bound](const auto &corner) { return roomNs(corner, bound) >= 0; }))
            return corners;
        Corners left;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const ClockLine &a = corners[i], &b = corners[(i + 1) % corners.size()];
            const double roomA = roomNs(a, bound), roomB = roomNs(b, bound);
            if (roomA >= 0)
                left.push_back(a);
            if ((roomA < 0) == (roomB < 0))
                continue;
            const double part = roomA / (roomA - roomB);
            left.push_back({ a.offsetNs + part * (b.offsetNs - a.offsetNs),
                             a.drift + part * (b.drift - a.drift) });
        }
        return left;
    }

    struct Extent
    {
        double least = NoBound, most = -NoBound;

        void add(double value)
        {
            least = std::min(least, value);
            most = std::max(most, value);
        }
        double middle() const { return (least + most) / 2; }
        double farthestFrom(double value) const { return std::max(most - value, value - least); }
    };

    class FeasibleLines
    {
    public:
        FeasibleLines(const Corners &corners, const MessageFit &fit)
            : m_fit(fit)
        {
            for (const ClockLine &corner : corners) {
                m_first.add(corner.at(fit.firstNs));
                m_last.add(corner.at(fit.lastNs));
                m_drift.add(corner.drift);
            }
        }

        /// Of a convex set, the middle of what bounds it is in it.
        ClockLine middle() const
        {
            const double lengthNs = m_fit.lastNs - m_fit.firstNs;
            const double drift = lengthNs > 0 ? (m_last.middle() - m_first.middle()) / lengthNs : 0;
            return { m_first.middle() - drift * m_fit.firstNs, drift };
        }

        MessageClock around(const ClockLine &line) const
        {
            return { line,
                     { m_drift.least, m_drift.most },
                     // The distance of lines is largest at an end.
                     std::max(m_first.farthestFrom(line.at(m_fit.firstNs)),
                              m_last.farthestFrom(line.at(m_fit.lastNs))) };
        }

    private:
        const MessageFit &m_fit;
        Extent m_first, m_last, m_drift;
    };

} // namespace

std::optional<MessageClock> fitMessageClock(const std::vector<MessageBound> &bounds,
                                            const MessageFit &fit)
{
    const std::optional<MessageClock> constant = constantOffset(bounds);
    if (!constant)
        return std::nullopt;
    Corners corners = everyLine(bounds, fit.largestDrift);
    for (const MessageBound &bound : bounds)
        corners = cut(std::move(corners), bound);
    if (corners.empty()) // a message that is matched wrongly contradicts the others at any drift
        return constant;
    const FeasibleLines lines(corners, fit);
    if (fit.preferred && satisfiesAll(*fit.preferred, bounds))
        return lines.around(*fit.preferred);
    const bool isConstant
        = constant->reachNs >= 0 && (fit.prefersConstant || fit.largestDrift == 0);
    return lines.around(isConstant ? constant->line : lines.middle());
}

} // namespace core
