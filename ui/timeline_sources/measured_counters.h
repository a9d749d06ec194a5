#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "ui/timeline_sources/counters.h"
#include "ui/timeline_sources/track_order.h"

#include <filesystem>
#include <memory>

namespace ui {

/// The links' use as measured, with what they can carry. Throws core::Cancelled.
Counters measuredLinkCounters(const core::Graph &measured, const core::Trace &trace,
                              const core::JobControl &control);

/// These, and what is allocated on each device where the project has it. Reads the project by a
/// connection of its own. Throws core::Error, core::Cancelled.
std::shared_ptr<const Counters>
measuredCounters(const core::Graph &measured, const core::Trace &trace, const OrderedTracks &order,
                 const std::filesystem::path &project, const core::JobControl &control);

} // namespace ui
