#pragma once

#include "core/change/change_kind.h"
#include "core/graph/graph.h"

#include <memory>
#include <optional>
#include <string>

namespace core {

/// The graph as if what a message brings were always there: who receives does not wait for who
/// sends, nor the other way round; the transfer begins when the receiver is ready for it. Of a
/// pipeline's stages each works on at its own pace, without a bubble, as with more and more
/// micro-batches of ever less work: an upper bound of what they, or another schedule, gain.
Graph withIdealPipeline(const Graph &graph);

/// Why that says nothing of this job; empty where it does.
std::optional<std::string> pipelineObstacle(const Graph &graph);

/// ideal_pipeline: withIdealPipeline().
std::unique_ptr<const ChangeKind> idealPipelineChange();

} // namespace core
