#include "ui/views/graph/graph_job.h"

namespace ui {

namespace {

    core::GraphOutline outlineOf(const core::Prediction &result, const GraphRequest &request,
                                 const core::JobControl &control)
    {
        return core::outlineOf({ result.graph, result.replay, request.trace->workers,
                                 static_cast<std::int32_t>(request.iteration),
                                 core::iterationPath(result, request.iteration), request.ranks },
                               control);
    }

    /// Compares closed blocks: their contents differ with them.
    core::DrawingDifference differenceFrom(const core::Prediction &before,
                                           const GraphRequest &request,
                                           const core::Drawing &drawing,
                                           const core::JobControl &control)
    {
        core::DrawingOptions options = request.options;
        options.level = core::DetailLevel::Phases;
        options.open.clear();
        const core::GraphOutline outline = outlineOf(before, request, control);
        return core::differenceOf(core::drawingOf(outline, options, control), drawing);
    }

} // namespace

GraphPicture makePicture(const GraphRequest &request, const core::JobControl &control)
{
    GraphPicture picture { request.outline, nullptr, nullptr };
    if (picture.outline == nullptr)
        picture.outline = std::make_shared<const core::GraphOutline>(
            outlineOf(*request.result, request, control));
    picture.drawing = std::make_shared<const core::Drawing>(
        core::drawingOf(*picture.outline, request.options, control));
    if (request.before != nullptr
        && request.before->graph->iterationCount > static_cast<std::int32_t>(request.iteration)
        && request.options.arrangement == core::Arrangement::ByTime)
        picture.difference = std::make_shared<const core::DrawingDifference>(
            differenceFrom(*request.before, request, *picture.drawing, control));
    return picture;
}

} // namespace ui
