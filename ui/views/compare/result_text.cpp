#include "ui/views/compare/result_text.h"

#include "core/scenario/parts.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace ui {

namespace {

    struct ResultText
    {
        Q_DECLARE_TR_FUNCTIONS(Result)
    };

    int iterationsOf(const core::ScenarioResult &result)
    {
        return result.hasIterations && result.graph != nullptr ? result.graph->iterationCount : 0;
    }

} // namespace

std::vector<ResultPart> resultParts(const core::PartTimes &measured,
                                    const core::PartTimes &predicted)
{
    return { { ResultText::tr("Compute"), measured.computeNs, predicted.computeNs },
             { ResultText::tr("Exposed communication"), measured.exposedCommNs,
               predicted.exposedCommNs },
             { ResultText::tr("Idle"), measured.idleNs, predicted.idleNs },
             { ResultText::tr("Sum: the mean"), core::wholeNs(measured), core::wholeNs(predicted) },
             { ResultText::tr("Overlap, a part of compute"), measured.overlapNs,
               predicted.overlapNs, false } };
}

QString meanTitle(const core::ScenarioResult &result)
{
    const int count = iterationsOf(result);
    return count > 1 ? ResultText::tr("Mean of %1 iterations, all ranks").arg(count)
                     : ResultText::tr("Mean over ranks");
}

QString measuredNote(const core::ScenarioResult &result)
{
    const QString mean = formatDuration(core::wholeNs(result.measuredParts));
    if (!result.hasIterations)
        return ResultText::tr("the whole recording, slowest rank; mean over ranks %1").arg(mean);
    const int count = iterationsOf(result);
    return count > 1
        ? ResultText::tr("median of %1, slowest rank; mean of all ranks %2").arg(count).arg(mean)
        : ResultText::tr("slowest rank; mean of all ranks %1").arg(mean);
}

QString intervalText(const core::ScenarioResult &result)
{
    QString text = result.unknownInterval
        ? ResultText::tr("interval not known")
        : ResultText::tr("95 %: %1 to %2")
              .arg(formatDuration(std::max<std::int64_t>(0, result.ciLowNs)),
                   formatDuration(result.ciHighNs));
    if (!result.settings.isEmpty() && result.daydreamNs)
        text += u'\n'
            + ResultText::tr("Size over bandwidth (Daydream): %1")
                  .arg(formatDuration(*result.daydreamNs));
    return text;
}

QString predictedCaption(const core::ScenarioSettings &settings, const QString &iteration,
                         bool isOneOfMany)
{
    QStringList words;
    for (const auto &[key, value] : settings.list())
        words << QString::fromStdString(key) + u'=' + QString::fromStdString(value);
    const QString with = words.join(u' ');
    if (with.isEmpty()) {
        const QString unchanged = ResultText::tr("Predicted: the unchanged graph, replayed");
        return iteration.isEmpty() ? unchanged : unchanged + QStringLiteral("; ") + iteration;
    }
    if (iteration.isEmpty())
        return ResultText::tr("Predicted with %1").arg(with);
    return (isOneOfMany ? ResultText::tr("Predicted: %1, nearest to the median; with %2")
                        : ResultText::tr("Predicted: %1; with %2"))
        .arg(iteration, with);
}

} // namespace ui
