#pragma once

#include "core/compare/run_comparison.h"

namespace tests {

/// A run of 2 ranks and 6 iterations of `ns`, another run of which may lie `noiseNs` off; four
/// gradients in two buckets.
inline core::MeasuredRun madeUpRun(std::int64_t ns, double noiseNs)
{
    core::MeasuredRun run;
    run.framework = core::Framework::PyTorch;
    run.ranks = 2;
    run.tensorBytes = { 10, 20, 30, 40 };
    run.buckets = { 1, 3 };
    run.iterationCount = 6;
    run.iteration = { ns, noiseNs, noiseNs };
    run.parts = { ns / 2, ns / 2, 0, 0, 0, {} };
    for (std::size_t i = 0; i < core::RunParts.size(); ++i)
        run.partTimes.at(i) = { run.parts.*core::RunParts.at(i).ns, noiseNs, noiseNs };
    return run;
}

/// `lowNs` to `highNs` instead of 1000 ns by three buckets.
inline core::Promise madeUpPromise(std::int64_t iterationNs, std::int64_t lowNs,
                                   std::int64_t highNs)
{
    core::Promise promise;
    promise.strategy = { { "bucket_cap_mb", 5.0 } };
    promise.unchangedNs = 1000;
    promise.iterationNs = iterationNs;
    promise.lowNs = lowNs;
    promise.highNs = highNs;
    promise.parts = { iterationNs / 2, iterationNs / 2, 0, 0, 0, {} };
    promise.buckets = { 1, 1, 2 };
    return promise;
}

/// The same of a job whose replay differs from its measured 1000 ns; the gain stays.
inline core::Promise promiseOfReplay(core::Promise promise, std::int64_t replayedNs)
{
    const std::int64_t shiftNs = replayedNs - promise.unchangedNs;
    for (std::int64_t *ns :
         { &promise.unchangedNs, &promise.iterationNs, &promise.lowNs, &promise.highNs })
        *ns += shiftNs;
    return promise;
}

/// A run that used that strategy.
inline core::MeasuredRun laterRun(std::int64_t ns, double noiseNs)
{
    core::MeasuredRun run = madeUpRun(ns, noiseNs);
    run.buckets = { 1, 1, 2 };
    return run;
}

} // namespace tests
