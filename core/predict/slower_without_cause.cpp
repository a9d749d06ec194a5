#include "core/predict/slower_without_cause.h"

#include "core/base/duration_text.h"

#include <cmath>
#include <string>

namespace core {

namespace {

    /// Of an iteration: what roundings leave, and what a replay of the unchanged trace is good for.
    constexpr double Noticed = 0.001, Large = 0.02;

} // namespace

std::optional<TrustReason> slowerWithoutCause(const GraphChange &change, const Strategy &strategy,
                                              const Prediction &result)
{
    const double unchangedNs
        = static_cast<double>(result.measuredNs) * (1 + result.replayErrorFraction);
    const double longer = static_cast<double>(result.predictedNs) / unchangedNs - 1;
    if (strategy.isEmpty() || change.isNone() || !change.isNowhereSlower() || !(longer > Noticed))
        return std::nullopt;
    return TrustReason { longer > Large ? TrustLevel::Poor : TrustLevel::Fair,
                         "Nothing takes longer than in the unchanged job, and the prediction does, "
                         "by "
                             + percentText(longer)
                             + ": work moves from one iteration to another, or operations run in "
                               "another order. Compare the means." };
}

} // namespace core
