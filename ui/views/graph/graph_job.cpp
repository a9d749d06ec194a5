#include "ui/views/graph/graph_job.h"

namespace ui {

GraphPicture makePicture(const GraphRequest &request, const core::JobControl &control)
{
    GraphPicture picture { request.outline, nullptr };
    if (picture.outline == nullptr)
        picture.outline = std::make_shared<const core::GraphOutline>(
            core::outlineOf(request.result->graph, request.result->replay, request.trace->workers,
                            static_cast<std::int32_t>(request.iteration),
                            core::iterationPath(*request.result, request.iteration), {}, control));
    picture.drawing = std::make_shared<const core::Drawing>(
        core::drawingOf(*picture.outline, request.options, control));
    return picture;
}

} // namespace ui
