#include "core/predict/interval_reach.h"

#include <cmath>

namespace core {

void IntervalReach::add(IntervalSource source, double ns)
{
    double &sum = m_ns[static_cast<std::size_t>(source)];
    sum = std::hypot(sum, ns);
}

double IntervalReach::eitherWayNs() const
{
    return std::hypot(std::hypot(of(IntervalSource::Links), of(IntervalSource::Overlap)),
                      std::hypot(of(IntervalSource::Waits), of(IntervalSource::Unchecked)),
                      replayErrorNs);
}

/// Where the ranks are is one or the other: all else is as unsure there.
double IntervalReach::downNs(double iterationNs) const
{
    const double ownNs = std::hypot(iterationNs, std::min(0.0, longerNs),
                                    std::hypot(batch.downNs, compute.downNs));
    return std::hypot(eitherWayNs(), ownNs) + cores.downNs;
}

double IntervalReach::upNs(double iterationNs) const
{
    const double ownNs
        = std::hypot(iterationNs, std::max(0.0, longerNs), std::hypot(batch.upNs, compute.upNs));
    return std::hypot(eitherWayNs(), ownNs, of(IntervalSource::Latency)) + cores.upNs;
}

PredictionInterval IntervalReach::around(std::int64_t predictedNs,
                                         const IterationSpread &spread) const
{
    const auto low
        = [&](double iterationNs) { return predictedNs - std::llround(downNs(iterationNs)); };
    const auto high
        = [&](double iterationNs) { return predictedNs + std::llround(upNs(iterationNs)); };
    return { low(std::hypot(spread.ofOneDownNs, spread.medianDownNs)),
             high(std::hypot(spread.ofOneUpNs, spread.medianUpNs)), low(spread.medianDownNs),
             high(spread.medianUpNs) };
}

IntervalSource IntervalReach::widest(const IterationSpread &spread) const
{
    IntervalReach all = *this;
    const double iterationNs = std::max(std::hypot(spread.ofOneDownNs, spread.medianDownNs),
                                        std::hypot(spread.ofOneUpNs, spread.medianUpNs));
    all.add(IntervalSource::Iterations, std::hypot(iterationNs, replayErrorNs));
    all.add(IntervalSource::Batch, batch.mostNs());
    all.add(IntervalSource::Compute, compute.mostNs());
    all.add(IntervalSource::OtherRanks, std::hypot(longerNs, cores.mostNs()));
    return static_cast<IntervalSource>(std::max_element(all.m_ns.begin(), all.m_ns.end())
                                       - all.m_ns.begin());
}

} // namespace core
