#pragma once

#include "core/change/settings.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <optional>

namespace core {

/// How a program sent its gradients in slices (see isSentInSlices()): by priority as P3, else in
/// the order of readiness; of so many bytes as meta.json states, else as the largest one has.
/// creditBytes only where meta.json states it. Empty where it did not.
std::optional<ScenarioSettings> recordedSlices(const Trace &trace, const Graph &graph);

/// The settings with the order and size of slices as recorded where they leave them open, and
/// without what they set of slices that was so anyway. (A recorded credit is not carried over to
/// slices of another size: programs count it in slices, as BYTEPS_SCHEDULING_CREDIT.) Throws Error
/// where they are about the slices of a job that sends none and do not say in which order to send
/// some. schedule=wfbp stays as it is.
ScenarioSettings withRecordedSlices(ScenarioSettings settings, const Trace &trace,
                                    const Graph &graph);

} // namespace core
