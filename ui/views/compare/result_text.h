#pragma once

#include "core/scenario/scenario.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace ui {

/// A part of the iteration, as measured and as predicted: a line of the table of parts.
struct ResultPart
{
    QString name;
    std::int64_t measuredNs = 0, predictedNs = 0;
    bool isOfSum = true; ///< false: it is contained in another one
};

std::vector<ResultPart> resultParts(const core::PartTimes &measured,
                                    const core::PartTimes &predicted);

/// What the parts are means of.
QString meanTitle(const core::ScenarioResult &result);
/// What the measured time is: the median of the slowest rank, not the mean that the parts add up
/// to, which it names too.
QString measuredNote(const core::ScenarioResult &result);
/// The interval, and what the naive baseline says of a what-if.
QString intervalText(const core::ScenarioResult &result);

/// Above the predicted timeline; `iteration` names the one that is shown, empty where none is. What
/// it was predicted with comes last: that may be cut.
QString predictedCaption(const core::ScenarioSettings &settings, const QString &iteration,
                         bool isOneOfMany);

} // namespace ui
