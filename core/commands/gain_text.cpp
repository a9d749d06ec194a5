#include "core/commands/gain_text.h"

#include "core/base/duration_text.h"

namespace core {

std::string gainIntervalText(const Bottleneck &bottleneck)
{
    if (!bottleneck.unknownInterval.empty())
        return "; interval not known: " + bottleneck.unknownInterval;
    const std::optional<GainInterval> &interval = bottleneck.gainInterval;
    if (!interval)
        return {};
    return std::string(interval->mayBeNothing() ? "; may be nothing" : "") + "; 95 % interval "
        + durationText(interval->lowNs) + " to " + durationText(interval->highNs);
}

} // namespace core
