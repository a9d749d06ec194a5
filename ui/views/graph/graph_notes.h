#pragma once

#include "ui/graph/graph_job.h"

#include <QString>

#include <cstdint>

namespace ui {

/// A line about a drawing: `title`, the longest on the critical path, what is left out and what
/// differs from the recorded job. `durationNs`: of the iteration.
QString graphNotes(const GraphPicture &picture, const QString &title, std::int64_t durationNs);

} // namespace ui
