#pragma once

#include "core/blocks/drawing.h"

#include <QString>
#include <QStringList>

namespace ui {

/// "forward", "layer 3/12", "all_reduce 20.4 MiB".
QString blockTitle(const core::DrawnBlock &block);

/// Facts of a block for tooltip and details, a line each: duration, waiting, operations,
/// slack.
QStringList blockFacts(const core::DrawnBlock &block);

} // namespace ui
