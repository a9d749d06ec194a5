#include "ui/graph/graph_job.h"

namespace ui {

namespace {

    std::shared_ptr<const core::GraphOutline> outlineOf(const core::Prediction &result,
                                                        const GraphRequest &request,
                                                        const core::JobControl &control)
    {
        return std::make_shared<const core::GraphOutline>(
            core::outlineOf({ result.graph, result.replay, request.trace->workers,
                              static_cast<std::int32_t>(request.iteration),
                              core::iterationPath(result, request.iteration), request.ranks },
                            control));
    }

    bool isCompared(const GraphRequest &request)
    {
        return request.before != nullptr
            && request.before->graph->iterationCount > static_cast<std::int32_t>(request.iteration)
            && request.options.arrangement == core::Arrangement::ByTime;
    }

} // namespace

GraphPicture makePicture(const GraphRequest &request, const core::JobControl &control)
{
    GraphPicture picture { request.outline, request.beforeOutline, nullptr, nullptr };
    if (picture.outline == nullptr)
        picture.outline = outlineOf(*request.result, request, control);
    picture.drawing = std::make_shared<const core::Drawing>(
        core::drawingOf(*picture.outline, request.options, control));
    if (!isCompared(request))
        return picture;
    if (picture.beforeOutline == nullptr)
        picture.beforeOutline = outlineOf(*request.before, request, control);
    picture.difference = std::make_shared<const core::DrawingDifference>(
        core::differenceOf(*picture.beforeOutline, *picture.outline, *picture.drawing));
    return picture;
}

} // namespace ui
