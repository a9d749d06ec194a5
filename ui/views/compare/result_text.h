#pragma once

#include "core/change/change_list.h"
#include "core/measure/typical_iteration.h"
#include "core/predict/prediction.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
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
QString meanTitle(const core::Prediction &result);
/// What the measured time is: the median of the slowest rank, not the mean that the parts add up
/// to, which it names too.
QString measuredNote(const core::Prediction &result);
/// The interval, and what the naive baseline says of a what-if.
QString intervalText(const core::Prediction &result);

/// "+12.30 ms"; "same" where both times read alike, so that no difference is to be seen.
QString differenceText(std::int64_t measuredNs, std::int64_t predictedNs);
/// "+49 %" of the measured time; "same" where it would be less than 0.1 %.
QString changeText(std::int64_t measuredNs, std::int64_t predictedNs);
/// Whether a what-if is a gain or a loss. Neither where the change would read "same", where its
/// interval allows for no change at all, and for the unchanged trace, whose difference is an error.
enum class ChangeVerdict { Neither, Better, Worse };
ChangeVerdict verdictOf(const core::Prediction &result);
/// What the change is a part of, and how far the unchanged replay is off; of a what-if, how much
/// it changes of that: the replay's error is a part of a change from what is measured.
QString changeNote(const core::Prediction &result);

/// How well the order of ops fills the devices, and how well that of the unchanged trace does where
/// this is a what-if; empty where nothing could overlap.
QString schedulingText(const core::Prediction &result, const core::Prediction &unchanged);
/// What that means.
QString schedulingExplanation(const core::Prediction &result,
                              const core::ChangeObstacles &obstacles);

/// How far a what-if is trusted, and all that this rests on, one line a reason: what it is trusted
/// less for than the replay of the unchanged trace; what holds for both.
QString trustNote(const core::Prediction &whatIf, const core::Prediction &unchanged);

/// What is said of a prediction below its settings: that it changes nothing, or why it hardly moves
/// the iteration; else whether its trust is known. Empty without a prediction (null).
QString statusText(const core::Prediction *prediction, bool isBeingJudged);

/// Why both timelines show the iteration that they show.
QString sameIterationExplanation();

/// An iteration that is shown, of `count`: what it takes, and what is told of all.
struct ShownIteration
{
    std::int64_t number = 0; ///< as the trace numbers it
    std::size_t count = 1;
    std::int64_t ns = 0, typicalNs = 0;
    bool isPredicted = false; ///< else typicalNs is their median
    std::size_t periodLength = 1; ///< of the period that typicalNs is the mean over
};
/// "iteration 3, 662.3 ms (median of 6: 669.9 ms)", "iteration 3, 593.0 ms (typical: 601.2 ms)".
QString iterationCaption(const ShownIteration &iteration);
/// Above the predicted timeline; `iteration` says which is shown, empty where none is. What it was
/// predicted with comes last: that may be cut.
QString predictedCaption(const core::Strategy &strategy, const QString &iteration);

/// Above both timelines, which show `iteration` of `measured`; empty: all, and nothing tells which
/// belong together.
struct TimelineCaptions
{
    QString measured, predicted;
};
TimelineCaptions timelineCaptions(const core::Prediction &result,
                                  const std::vector<core::CommonIteration> &measured,
                                  std::optional<std::size_t> iteration);

} // namespace ui
