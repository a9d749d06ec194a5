#pragma once

#include "core/base/job_control.h"
#include "core/measure/typical_iteration.h"
#include "core/model/trace.h"
#include "core/predict/prediction.h"
#include "ui/timeline_sources/matched_rows.h"
#include "ui/timeline_sources/track_order.h"

#include <memory>
#include <vector>

namespace ui {

/// A replay as it is drawn below the measured timeline.
struct PredictedTimeline
{
    std::shared_ptr<const TimelineSource> source;
    MatchedRows rows; ///< of the measured timeline and of this one
    std::vector<core::CommonIteration> iterations; ///< of the project that are replayed
};

/// `all` are the project's tracks, `shown` those that the measured timeline shows. `iterations` as
/// known, else empty. Throws core::Cancelled.
PredictedTimeline predictedTimeline(std::shared_ptr<const core::Prediction> result,
                                    const core::Trace &trace, const OrderedTracks &all,
                                    const OrderedTracks &shown,
                                    std::vector<core::CommonIteration> iterations,
                                    const core::JobControl &control);

} // namespace ui
