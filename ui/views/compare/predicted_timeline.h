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
    std::shared_ptr<const TimelineSource> reference; ///< above it; null: the measured timeline
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

} // namespace ui
