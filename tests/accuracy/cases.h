#pragma once

#include "tests/accuracy/bundles.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace accuracy {

/// A prediction beside the truth, in milliseconds. Errors are fractions.
struct Case
{
    std::string from, to; ///< bundle; bundle or settings
    double truthMs = 0, predictedMs = 0, lowMs = 0, highMs = 0;
    double naiveMs = 0; ///< Daydream's; 0 where it has none
    double bandwidthMbit = 0; ///< of the truth
    /// Predicted less measured, as fractions of the measured iteration. Of a what-if: than in the
    /// recording of the truth, whose profiler costs a little.
    double computeError = 0, exposedError = 0, overlapError = 0, idleError = 0;
    double exposedShare = 0; ///< of the measured iteration
    bool isWhole = true; ///< all ranks of the job are recorded

    double error() const { return predictedMs / truthMs - 1; }
    double naiveError() const { return naiveMs / truthMs - 1; }
    bool isCovered() const { return lowMs <= truthMs && truthMs <= highMs; }
    /// Within a tenth of what was measured, or 2 % of the iteration, if that is larger. What ranks
    /// wait for others that are not recorded is not known.
    bool isExposedRight() const
    {
        return !isWhole || std::abs(exposedError) <= std::max(0.1 * exposedShare, 0.02);
    }
};

/// Every bundle's unchanged replay beside the trace's own iteration.
std::vector<Case> selfReplays(const Bundles &bundles);

/// Every plain bundle's prediction of the other bucket sizes and bandwidths of its job.
std::vector<Case> bucketCases(const Bundles &bundles);

/// What-ifs of the settings that meta.json names, and the way back where there is one.
std::vector<Case> settingCases(const Bundles &bundles);

} // namespace accuracy
