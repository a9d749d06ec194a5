#pragma once

#include "core/predict/prediction.h"
#include "core/predict/predictor.h"

#include <string>
#include <vector>

namespace core {

/// Reasons in sentences why a strategy saves time, with their evidence: how its buckets differ from
/// those of the environment, one difference each, and which parts of the iteration become shorter.
/// `environment`: the prediction that `prediction` is compared with. Throws Cancelled.
std::vector<std::string> explanation(const Predictor &predictor, const Prediction &environment,
                                     const Prediction &prediction, const JobControl &control);

/// Differences of two ways to cut `bytes` tensors into buckets, as sentences.
/// `readyNs`: when each gradient is ready, [tensors] or empty; `latencyNs`: of a transfer.
std::vector<std::string> bucketDifferences(const std::vector<std::uint64_t> &bytes,
                                           const std::vector<double> &readyNs, double latencyNs,
                                           const std::vector<std::size_t> &before,
                                           const std::vector<std::size_t> &after);

} // namespace core
