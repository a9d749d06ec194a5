#pragma once

#include <cstdint>
#include <string_view>

namespace core {

/// Answer of a later run; the first two are on a promise, the next three on a difference.
enum class RunVerdict { Kept, NotKept, NoDifference, Faster, Slower, Inconclusive };

/// "not_kept", as in JSON.
std::string_view verdictName(RunVerdict verdict);

/// Time saved of each iteration, ns, with its 95 % interval; negative: it takes longer.
struct RunGain
{
    std::int64_t ns = 0, lowNs = 0, highNs = 0;

    /// The larger half of the interval.
    std::int64_t noiseNs() const;
    bool mayBeNothing() const { return lowNs <= 0 && highNs >= 0; }
};

/// Whether a measured gain keeps a promised one:
///   - NotKept: the measured interval ends below the promised one; or a gain was promised and the
///     later run is slower beyond the noise.
///   - Kept: else, if the measured gain is above 0 beyond the noise, or no gain was promised.
///   - Inconclusive: else. The measured gain may be none, and may be as promised.
/// More than was promised is kept, too. The rule is ours.
RunVerdict verdictOnPromise(const RunGain &promised, const RunGain &measured);

/// NoDifference: the gain may be none.
RunVerdict verdictOnGain(const RunGain &measured);

} // namespace core
