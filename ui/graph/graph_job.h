#pragma once

#include "core/base/job_control.h"
#include "core/blocks/difference.h"
#include "core/blocks/drawing.h"
#include "core/model/trace.h"
#include "core/predict/prediction.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ui {

/// Subject of a drawn graph: which iteration of which replay, and how.
struct GraphRequest
{
    std::shared_ptr<const core::Trace> trace;
    std::shared_ptr<const core::Prediction> result;
    std::size_t iteration = 0; ///< of the replay
    core::DrawingOptions options;
    std::vector<int> ranks; ///< none: all
    /// Outline of the same result and iteration; null: to be made.
    std::shared_ptr<const core::GraphOutline> outline;
    /// What it is compared with, and its outline where that is known: what differs is marked where
    /// both are by time. Null: nothing.
    std::shared_ptr<const core::Prediction> before;
    std::shared_ptr<const core::GraphOutline> beforeOutline;
};

struct GraphPicture
{
    std::shared_ptr<const core::GraphOutline> outline, beforeOutline;
    std::shared_ptr<const core::Drawing> drawing;
    std::shared_ptr<const core::DrawingDifference> difference; ///< null: nothing to compare with
};

/// Worker thread. Throws Cancelled.
GraphPicture makePicture(const GraphRequest &request, const core::JobControl &control);

} // namespace ui
