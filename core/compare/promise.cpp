#include "core/compare/promise.h"

#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"

namespace core {

namespace {

    /// Tensors of each of DDP's buckets under the strategy; empty: it sends gradients in another
    /// way.
    std::vector<std::size_t> promisedBuckets(const Prediction &prediction)
    {
        std::vector<std::size_t> buckets;
        const Strategy &strategy = prediction.strategy;
        for (const Change &change : strategy.changes) {
            Strategy both { { "bucket_cap_mb", DefaultBucketCapMb } };
            both.set(change);
            if (change.key != CutsKey && !contradictionOf(both).empty())
                return buckets; // it sends gradients in another way
        }
        if (const GradientStep *const step = usualStep(*prediction.graph))
            buckets = bucketCountsOf(*step);
        return buckets;
    }

} // namespace

Promise promiseOf(Predictor &predictor, const Strategy &strategy, const JobControl &control)
{
    const Prediction prediction = predictor.predictJudged(strategy, control.part(0, 0.6));
    if (prediction.obstacle)
        throw Error(*prediction.obstacle);
    Promise promise;
    promise.strategy = strategy;
    promise.unchangedNs = prediction.unchangedNs;
    promise.iterationNs = promise.lowNs = promise.highNs = prediction.predictedNs;
    promise.unknownInterval = prediction.unknownInterval;
    if (!prediction.unknownInterval) {
        const PredictionInterval interval = predictor.interval(prediction, control.part(0.6, 1));
        promise.lowNs = interval.typicalLowNs;
        promise.highNs = interval.typicalHighNs;
    }
    promise.parts = prediction.predictedParts;
    promise.trust = prediction.trust;
    promise.trustReason = prediction.trustReason;
    promise.noChange = prediction.noChange;
    promise.buckets = promisedBuckets(prediction);
    return promise;
}

} // namespace core
