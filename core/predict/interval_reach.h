#pragma once

#include "core/change/interval_source.h"
#include "core/predict/iteration_spread.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace core {

/// The 95 % interval of an iteration, in ns; the predicted time lies in it.
struct PredictionInterval
{
    std::int64_t lowNs = 0, highNs = 0;
    /// Of the typical iteration, whatever one may be off it: what a gain over the typical
    /// unchanged one is told from. The predicted time lies in it, too.
    std::int64_t typicalLowNs = 0, typicalHighNs = 0;
    IntervalSource widest = IntervalSource::Iterations;
};

/// How far another reading moves a prediction, by way.
struct ReadingReach
{
    double downNs = 0, upNs = 0;

    void include(double moveNs)
    {
        downNs = std::max(downNs, -moveNs);
        upNs = std::max(upNs, moveNs);
    }
    double mostNs() const { return std::max(downNs, upNs); }
};

/// How far a prediction may be off, by what it is unsure for.
class IntervalReach
{
public:
    /// Either way, but of IntervalSource::Latency, which reaches up only; what is added up of one
    /// source does as squares.
    void add(IntervalSource source, double ns);

    ReadingReach batch,
        compute; ///< of layers with the batch; of what goes with a processor's speed
    ReadingReach cores; ///< by which ranks share cores
    double longerNs = 0; ///< that another number of ranks waits; negative: shorter
    double replayErrorNs = 0;

    /// `widest` is not set.
    PredictionInterval around(std::int64_t predictedNs, const IterationSpread &spread) const;
    IntervalSource widest(const IterationSpread &spread) const;

private:
    double of(IntervalSource source) const { return m_ns[static_cast<std::size_t>(source)]; }
    double eitherWayNs() const;
    double downNs(double iterationNs) const;
    double upNs(double iterationNs) const;

    std::array<double, static_cast<std::size_t>(IntervalSource::Latency) + 1> m_ns {};
};

} // namespace core
