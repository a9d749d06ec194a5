#pragma once

#include "core/base/job_control.h"
#include "core/change/change_list.h"
#include "core/change/models.h"
#include "core/graph/graph.h"
#include "core/measure/worker_activity.h"
#include "core/model/op_shapes.h"
#include "core/model/trace.h"
#include "core/predict/interval_reach.h"
#include "core/predict/peak_memory.h"
#include "core/predict/prediction.h"
#include "core/predict/prediction_base.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace core {

/// What a predictor reads of the project only when a strategy needs it; each may be empty.
struct PredictorSources
{
    std::function<OpShapes(const JobControl &)> shapes; ///< of the operations' arguments
    MemoryEventsOf memory; ///< allocations and releases of a worker
};

/// Predicts the iterations of a job under strategies. One a project: it owns what all predictions
/// start from and the models that some need, found when first asked for. Cheap to copy; copies
/// share what was found before. Each thread uses its own copy. Refers to the trace.
class Predictor
{
public:
    /// Throws Error where no iteration is there to replay or the traces are of several jobs;
    /// Cancelled.
    Predictor(const Trace &trace, std::shared_ptr<const Graph> measured, const JobControl &control);
    /// For whom has workerActivities() of the trace anyway.
    Predictor(const Trace &trace, std::shared_ptr<const Graph> measured,
              const std::vector<WorkerActivity> &activities, const JobControl &control);

    /// With a base that is there already.
    Predictor(const Trace &trace, std::shared_ptr<const Graph> measured,
              std::shared_ptr<const PredictionBase> base);

    void setSources(PredictorSources sources) { m_sources = std::move(sources); }

    const PredictionBase &base() const { return *m_base; }
    const std::shared_ptr<const Graph> &measured() const { return m_measured; }
    MeasuredJob job() const { return { *m_trace, *m_base->graph, m_base->links }; }
    const Models &models() const { return m_models; }

    /// By key: what cannot be predicted on this trace, and why.
    ChangeObstacles obstacles() const { return changeObstacles(job()); }

    /// Timeline and times, without what tells how far to trust them and takes several replays more:
    /// not Prediction::isJudged. A strategy that the trace does not support is told in
    /// Prediction::obstacle. Throws Cancelled.
    Prediction predict(const Strategy &strategy, const JobControl &control);
    /// Finds interval, baseline, trust and efficiencies of a prediction of predict(). Throws
    /// Cancelled.
    void judge(Prediction &prediction, const JobControl &control);
    /// Both.
    Prediction predictJudged(const Strategy &strategy, const JobControl &control);
    /// The predicted iteration alone, in ns: for searches. Empty where the trace does not support
    /// the strategy. Throws Cancelled.
    std::optional<std::int64_t> iterationNs(const Strategy &strategy, const JobControl &control);
    /// The 95 % interval of a prediction that has no unknownInterval. Throws Cancelled.
    PredictionInterval interval(const Prediction &prediction, const JobControl &control);
    /// Empty where nothing is replayed; PeakMemory::unknown where allocations cannot be read.
    /// Throws Cancelled.
    std::optional<PeakMemory> peakMemory(const Prediction &prediction,
                                         const JobControl &control) const;

    /// Finds what predictions of these effects need, ahead of the first of them. Throws Cancelled.
    void findModels(unsigned effects, const JobControl &control);
    /// The same of intervals.
    void findOverlapReadings(const JobControl &control);

private:
    const Trace *m_trace;
    std::shared_ptr<const Graph> m_measured;
    std::shared_ptr<const PredictionBase> m_base;
    Models m_models;
    PredictorSources m_sources;
};

} // namespace core
