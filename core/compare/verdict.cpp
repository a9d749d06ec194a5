#include "core/compare/verdict.h"

#include <algorithm>

namespace core {

std::string_view verdictName(RunVerdict verdict)
{
    switch (verdict) {
    case RunVerdict::Kept:
        return "kept";
    case RunVerdict::NotKept:
        return "not_kept";
    case RunVerdict::NoDifference:
        return "no_difference";
    case RunVerdict::Faster:
        return "faster";
    case RunVerdict::Slower:
        return "slower";
    case RunVerdict::Inconclusive:
        break;
    }
    return "inconclusive";
}

std::int64_t RunGain::noiseNs() const
{
    return std::max(ns - lowNs, highNs - ns);
}

RunVerdict verdictOnPromise(const RunGain &promised, const RunGain &measured)
{
    const bool isGainPromised = promised.ns > 0;
    if (measured.highNs < promised.lowNs || (isGainPromised && measured.highNs < 0))
        return RunVerdict::NotKept;
    if (measured.lowNs > 0 || !isGainPromised)
        return RunVerdict::Kept;
    return RunVerdict::Inconclusive;
}

RunVerdict verdictOnGain(const RunGain &measured)
{
    if (measured.mayBeNothing())
        return RunVerdict::NoDifference;
    return measured.lowNs > 0 ? RunVerdict::Faster : RunVerdict::Slower;
}

} // namespace core
