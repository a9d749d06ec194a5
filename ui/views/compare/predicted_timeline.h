#pragma once

#include "core/base/job_control.h"
#include "core/measure/typical_iteration.h"
#include "core/model/trace.h"
#include "core/predict/prediction.h"
#include "ui/timeline_sources/counters.h"
#include "ui/timeline_sources/matched_rows.h"
#include "ui/timeline_sources/track_order.h"
#include "ui/views/compare/twins/op_twins.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ui {

/// A replay as it is drawn below the measured timeline.
struct PredictedTimeline
{
    std::shared_ptr<const TimelineSource> source;
    std::shared_ptr<const TimelineSource> reference; ///< above it; null: the measured timeline
    std::shared_ptr<const Counters> measuredCounters; ///< of the measured timeline
    std::shared_ptr<const OpTwins> twins; ///< ops of both
    MatchedRows rows; ///< of the timeline above and of this one
    std::vector<core::CommonIteration> iterations; ///< of the project that are replayed
};

/// `reference`: null where it is compared with the measurement. `all` are the project's tracks,
/// `shown` those that the measured timeline shows. `iterations` as known, else empty. Throws
/// core::Cancelled.
PredictedTimeline predictedTimeline(std::shared_ptr<const core::Prediction> result,
                                    std::shared_ptr<const core::Prediction> reference,
                                    const core::Trace &trace, const OrderedTracks &all,
                                    const OrderedTracks &shown,
                                    std::vector<core::CommonIteration> iterations,
                                    const core::JobControl &control);

/// Adds rows for the links' use, of the timeline above and of this one on one scale. `result` and
/// `reference` as in predictedTimeline(); `shownTracks`: how many the measured timeline has. Throws
/// core::Cancelled.
void addCounters(PredictedTimeline &predicted, const core::Prediction &result,
                 const core::Prediction *reference, const core::Trace &trace,
                 std::size_t shownTracks, const core::JobControl &control);

} // namespace ui
