#pragma once

#include "core/scenario/scenario.h"
#include "tests/accuracy/bundles.h"

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
    double exposedError = 0; ///< of exposed communication, as fraction of the iteration

    double error() const { return predictedMs / truthMs - 1; }
    double naiveError() const { return naiveMs / truthMs - 1; }
    bool isCovered() const { return lowMs <= truthMs && truthMs <= highMs; }
};

/// Every bundle's unchanged replay beside the trace's own iteration.
std::vector<Case> selfReplays(const Bundles &bundles);

/// Every plain bundle's prediction of the other bucket sizes and bandwidths of its job.
std::vector<Case> bucketCases(const Bundles &bundles);

/// What-ifs of the settings that meta.json names, and the way back where there is one.
std::vector<Case> settingCases(const Bundles &bundles);

} // namespace accuracy
