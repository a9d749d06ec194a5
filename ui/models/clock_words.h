#pragma once

#include "core/model/clock_drift.h"
#include "core/model/clock_share.h"

#include <QString>

namespace ui {

/// "±362 µs"; "±114 ms (8.8 % of an iteration)" where it is not small.
QString clockUncertaintyText(const core::ClockUncertainty &clocks);
/// A sentence on what the uncertainty means.
QString clockUncertaintySentence(const core::ClockUncertainty &clocks);

/// "+34.5 ppm"; "+34.5 ppm (±4 ppm)"; "not known"; "not known (±40 ppm)".
QString clockDriftText(const core::ClockDrift &drift);

} // namespace ui
