#include "ui/views/compare/result_text.h"

#include "core/measure/parts.h"
#include "ui/models/trust_words.h"
#include "ui/views/compare/setting_words.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {

namespace {

    struct ResultText
    {
        Q_DECLARE_TR_FUNCTIONS(Result)
    };

    int iterationsOf(const core::Prediction &result)
    {
        return result.hasIterations && result.graph != nullptr ? result.graph->iterationCount : 0;
    }

    /// Iterations that the prediction counts.
    int countedOf(const core::Prediction &result)
    {
        int counted = 0;
        for (int i = 0; i < iterationsOf(result); ++i)
            counted += result.counts(static_cast<std::size_t>(i)) ? 1 : 0;
        return counted;
    }

    /// As a part of what was measured.
    double changeOf(std::int64_t measuredNs, std::int64_t predictedNs)
    {
        return measuredNs > 0
            ? static_cast<double>(predictedNs - measuredNs) / static_cast<double>(measuredNs)
            : 0;
    }

    /// Those that the mean is over: a rank may have nothing in its iterations.
    QString meanRanks(const core::Prediction &result)
    {
        const std::size_t all = result.graph ? result.graph->workerCount() : 0;
        const std::size_t active = all > 0 ? core::ranksInMean(*result.graph) : 0;
        if (active == all)
            return ResultText::tr("all ranks");
        return (result.serverRanks.empty() ? ResultText::tr("%1 of %2 ranks")
                                           : ResultText::tr("%1 of %2 ranks (without servers)"))
            .arg(formatCount(active), formatCount(all));
    }

    /// By core::PartRow.
    constexpr std::array RowNames = { QT_TRANSLATE_NOOP("Result", "Compute"),
                                      QT_TRANSLATE_NOOP("Result", "Exposed transfer"),
                                      QT_TRANSLATE_NOOP("Result", "Waiting for other ranks"),
                                      QT_TRANSLATE_NOOP("Result", "Exposed communication"),
                                      QT_TRANSLATE_NOOP("Result", "Copies"),
                                      QT_TRANSLATE_NOOP("Result", "Idle"),
                                      QT_TRANSLATE_NOOP("Result", "Total"),
                                      QT_TRANSLATE_NOOP("Result", "Overlap (in compute)") };

    /// Less would read as 0.0 %.
    bool isSeen(double change)
    {
        constexpr double LeastShown = 0.0005;
        return std::abs(change) >= LeastShown;
    }

} // namespace

std::vector<ResultPart> resultParts(const core::PartTimes &measured,
                                    const core::PartTimes &predicted)
{
    std::vector<ResultPart> parts;
    for (const core::PartTime &part : core::partRows(measured, predicted))
        parts.push_back({ ResultText::tr(RowNames.at(static_cast<std::size_t>(part.row))),
                          part.measuredNs, part.predictedNs, part.row != core::PartRow::Overlap });
    return parts;
}

QString meanTitle(const core::Prediction &result)
{
    const int count = iterationsOf(result);
    if (count <= 1)
        return ResultText::tr("Mean over ranks");
    // The predicted column leaves out what the prediction does.
    const int counted = countedOf(result);
    if (counted == count) {
        return ResultText::tr("Mean of %1 iterations, %2")
            .arg(QString::number(count), meanRanks(result));
    }
    const bool isOfLast = counted == count - static_cast<int>(result.warmUp());
    return (isOfLast ? ResultText::tr("Mean of %1 (predicted: last %2) iterations, %3")
                     : ResultText::tr("Mean of %1 (predicted: %2 of them) iterations, %3"))
        .arg(QString::number(count), QString::number(counted), meanRanks(result));
}

QString measuredNote(const core::Prediction &result)
{
    const QString mean = formatDuration(core::wholeNs(result.measuredParts));
    if (!result.hasIterations)
        return ResultText::tr("the whole recording, slowest rank; mean over ranks %1").arg(mean);
    const int count = iterationsOf(result);
    if (result.periodLength() > 1)
        return ResultText::tr("mean over a period of %1, slowest rank; mean of %2 %3")
            .arg(QString::number(result.periodLength()), meanRanks(result), mean);
    return count > 1 ? ResultText::tr("median of %1, slowest rank; mean of %2 %3")
                           .arg(QString::number(count), meanRanks(result), mean)
                     : ResultText::tr("slowest rank; mean of %1 %2").arg(meanRanks(result), mean);
}

QString intervalText(const core::Prediction &result)
{
    QString text = result.unknownInterval ? ResultText::tr("interval not known")
        : !result.isJudged                ? ResultText::tr("95 %: not yet found")
                                          : ResultText::tr("95 %: %1 to %2")
                                 .arg(formatDuration(std::max<std::int64_t>(0, result.ciLowNs)),
                                      formatDuration(result.ciHighNs));
    // What is yet to be found has its place.
    const QString daydream = result.daydreamNs ? formatDuration(*result.daydreamNs)
        : result.isJudged                      ? QString()
                                               : ResultText::tr("not yet found");
    if (!result.strategy.isEmpty() && !daydream.isEmpty())
        text += u'\n' + ResultText::tr("Size over rate alone: %1").arg(daydream);
    return text;
}

QString differenceText(std::int64_t measuredNs, std::int64_t predictedNs)
{
    return formatDuration(measuredNs) == formatDuration(predictedNs)
        ? ResultText::tr("same")
        : formatDelta(predictedNs - measuredNs);
}

QString changeText(std::int64_t measuredNs, std::int64_t predictedNs)
{
    const double change = changeOf(measuredNs, predictedNs);
    return isSeen(change) ? formatSignedPercent(change) : ResultText::tr("same");
}

ChangeVerdict verdictOf(const core::Prediction &result)
{
    const bool isWithin = !result.unknownInterval && result.measuredNs >= result.ciLowNs
        && result.measuredNs <= result.ciHighNs;
    constexpr double LeastSure = 0.01; // a part of the time, where no interval is known
    const double change = changeOf(result.measuredNs, result.predictedNs);
    const bool isUnsure = result.unknownInterval && std::abs(change) < LeastSure;
    if (result.strategy.isEmpty() || isWithin || isUnsure || !result.isJudged || !isSeen(change))
        return ChangeVerdict::Neither;
    return result.predictedNs < result.measuredNs ? ChangeVerdict::Better : ChangeVerdict::Worse;
}

QString changeNote(const core::Prediction &result)
{
    const QString whole = result.hasIterations ? ResultText::tr("of the measured iteration")
                                               : ResultText::tr("of the measured time");
    const QString of = isSeen(changeOf(result.measuredNs, result.predictedNs))
        ? whole
        : ResultText::tr("within 0.1 % %1").arg(whole);
    if (result.strategy.isEmpty())
        return ResultText::tr("%1; replay error %2")
            .arg(of, formatReplayError(result.replayErrorFraction));
    const double change = changeOf(result.unchangedNs, result.predictedNs);
    return isSeen(change)
        ? ResultText::tr("%1; %2 of the unchanged replay").arg(of, formatSignedPercent(change))
        : ResultText::tr("%1; the same as the unchanged replay").arg(of);
}

QString schedulingText(const core::Prediction &result, const core::Prediction &unchanged)
{
    if (!result.isJudged)
        return ResultText::tr("Time saved by overlap: not yet found");
    if (result.scheduling.speedup <= 0)
        return {};
    const QString efficiency = formatPercent(result.scheduling.efficiency);
    return result.strategy.isEmpty()
        ? ResultText::tr("Time saved by overlap: %1 of the most possible").arg(efficiency)
        : ResultText::tr("Time saved by overlap: %1 of the most possible (unchanged: %2)")
              .arg(efficiency, formatPercent(unchanged.scheduling.efficiency));
}

QString schedulingExplanation(const core::Prediction &result,
                              const core::ChangeObstacles &obstacles)
{
    const core::SchedulingEfficiency &scheduling = result.scheduling;
    const QString saving
        = ResultText::tr(
              "Devices save time where they work side by side. 100 %: the busiest device "
              "is never idle. 0 %: nothing runs side by side. All ranks are counted "
              "together. The best order of operations would take at most %1 less time "
              "than this one.")
              .arg(formatPercent(scheduling.largestSaving()));
    if (!scheduling.hasSaving() || !result.graph || !core::hasCommunication(*result.graph)
        || (core::obstacleOf(obstacles, "schedule")
            && core::obstacleOf(obstacles, "bucket_cap_mb")))
        return saving;
    const QString hint = core::obstacleOf(obstacles, "schedule")
        ? ResultText::tr("Try another bucket size.")
        : core::obstacleOf(obstacles, "bucket_cap_mb")
        ? ResultText::tr("Try another schedule.")
        : ResultText::tr("Try other orders: a schedule, or another bucket size.");
    return saving + u' ' + hint;
}

QString iterationCaption(const ShownIteration &iteration)
{
    const QString text = ResultText::tr("iteration %1, %2")
                             .arg(QString::number(iteration.number), formatDuration(iteration.ns));
    if (iteration.count < 2)
        return text;
    const QString typical = formatDuration(iteration.typicalNs);
    if (iteration.periodLength > 1)
        return ResultText::tr("%1 (mean over a period of %2: %3)")
            .arg(text, QString::number(iteration.periodLength), typical);
    return iteration.isPredicted
        ? ResultText::tr("%1 (typical: %2)").arg(text, typical)
        : ResultText::tr("%1 (median of %2: %3)").arg(text, formatCount(iteration.count), typical);
}

QString trustNote(const core::Prediction &whatIf, const core::Prediction &unchanged)
{
    QStringList lines;
    const auto &known = unchanged.trustReasons;
    QStringList shared;
    for (const std::string &reason : whatIf.trustReasons) {
        const bool isKnown = std::find(known.begin(), known.end(), reason) != known.end();
        (isKnown ? shared : lines)
            << QStringLiteral("\u2022 ") + unbrokenUnits(QString::fromStdString(reason));
    }
    if (!shared.isEmpty() && !whatIf.strategy.isEmpty())
        lines << ResultText::tr("As for the unchanged replay:");
    lines << shared;
    const QString grade = gradeText(whatIf.trust);
    lines.prepend(
        whatIf.strategy.isEmpty() ? ResultText::tr("Trust in replays of this trace: %1.").arg(grade)
            : whatIf.trust == unchanged.trust
            ? ResultText::tr("Trust in this what-if: %1, as in the unchanged replay.").arg(grade)
            : ResultText::tr("Trust in this what-if: %1.").arg(grade));
    return lines.join(u'\n');
}

QString statusText(const core::Prediction *prediction, bool isBeingJudged)
{
    if (prediction == nullptr)
        return {};
    if (prediction->noChange || prediction->noEffect)
        return unbrokenUnits(QString::fromStdString(prediction->noChange ? *prediction->noChange
                                                                         : *prediction->noEffect));
    if (prediction->isJudged)
        return ResultText::tr("Predicted. Its trust is beside the time.");
    if (isBeingJudged)
        return ResultText::tr("Finding out how sure it is\u2026");
    return ResultText::tr("Trust is not known: the search for it was cancelled. Change a setting "
                          "and set it back to start it again.");
}

QString predictedCaption(const core::Strategy &strategy, const QString &iteration)
{
    const QString with = settingWords(strategy);
    if (with.isEmpty()) {
        const QString unchanged = ResultText::tr("Predicted: the unchanged graph, replayed");
        return iteration.isEmpty() ? unchanged : unchanged + QStringLiteral("; ") + iteration;
    }
    return iteration.isEmpty() ? ResultText::tr("Predicted with %1").arg(with)
                               : ResultText::tr("Predicted: %1; with %2").arg(iteration, with);
}

TimelineCaptions timelineCaptions(const core::Prediction &result,
                                  const std::vector<core::CommonIteration> &measured,
                                  std::optional<std::size_t> iteration)
{
    if (!iteration)
        return { ResultText::tr("Measured"), predictedCaption(result.strategy, {}) };
    const core::CommonIteration &own = measured[*iteration];
    if (!result.hasIterations) {
        const QString whole = ResultText::tr("the whole recording, %1");
        return { ResultText::tr("Measured: %1").arg(whole.arg(formatDuration(own.slowestNs))),
                 predictedCaption(result.strategy, whole.arg(formatDuration(result.predictedNs))) };
    }
    const std::size_t period = result.periodLength();
    const ShownIteration recorded { own.index,         measured.size(), own.slowestNs,
                                    result.measuredNs, false,           period };
    const ShownIteration replayed { own.index,
                                    static_cast<std::size_t>(countedOf(result)),
                                    core::slowestNs(result.iterations, *iteration),
                                    result.predictedNs,
                                    !result.strategy.isEmpty(),
                                    period };
    return { ResultText::tr("Measured: %1").arg(iterationCaption(recorded)),
             predictedCaption(result.strategy, iterationCaption(replayed)) };
}

QString sameIterationExplanation()
{
    return ResultText::tr(
        "Both timelines show the same iteration: the one nearest to the median, as measured "
        "and as replayed unchanged, which the diagnosis speaks of. Where the prediction leaves "
        "that out, it is the one nearest to the measured median and to the prediction: the "
        "unchanged replay's median and the median change of the same iterations. Where kinds "
        "of iterations repeat, means over their period stand for medians.");
}

} // namespace ui
