#include "core/predict/overlap_readings.h"

#include "core/fit/contention/interference.h"
#include "core/predict/prediction_base.h"

#include <limits>
#include <utility>

namespace core {

std::vector<OverlapReading> overlapReadings(const Graph &measured, const PredictionBase &base,
                                            const JobControl &control)
{
    std::vector<OverlapReading> readings;
    if (base.stretch->isNone())
        return readings;
    for (const double sigmas : { 1.96, -1.96, -std::numeric_limits<double>::infinity() }) {
        OverlapReading reading { base.stretch->slowdown(sigmas), {}, base.predictedNs };
        if (reading.slowdown == base.graph->slowdown) {
            reading.durationNs = base.graph->durationNs;
        } else {
            reading.durationNs = base.stretch->alone(measured, reading.slowdown);
            const Graph other = reading.of(*base.graph);
            reading.predictedNs
                = slowestRankNs(other, base.replayed->replay(other, control), base.iterations);
        }
        readings.push_back(std::move(reading));
    }
    return readings;
}

} // namespace core
