#include "ui/views/summary/figure_row.h"

#include "core/analyze/summary_data.h"
#include "core/measure/parts.h"
#include "ui/theme/theme.h"
#include "ui/views/summary/figure_tile.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QHBoxLayout>

namespace ui {

namespace {

    struct FigureRowText
    {
        Q_DECLARE_TR_FUNCTIONS(FigureRow)
    };

    double share(std::int64_t partNs, std::int64_t wholeNs)
    {
        return wholeNs > 0 ? static_cast<double>(partNs) / static_cast<double>(wholeNs) : 0.0;
    }

    /// Below the figure that the others add up to; behind it the time that savings count from.
    QString ofText(const core::SummaryData &summary)
    {
        const bool isOne = summary.ranks.size() == 1;
        if (isOne)
            return summary.hasIterations ? FigureRowText::tr("the typical iteration")
                                         : FigureRowText::tr("all of it");
        const QString mean = summary.hasServers ? FigureRowText::tr("mean of all ranks but servers")
                                                : FigureRowText::tr("mean of all ranks");
        const QString slowest = formatDuration(summary.iterationNs);
        if (!summary.hasIterations)
            return FigureRowText::tr("%1; slowest rank: %2").arg(mean, slowest);
        return (summary.periodLength > 1
                    ? FigureRowText::tr("mean iteration, %1; slowest rank: %2")
                    : FigureRowText::tr("median iteration, %1; slowest rank: %2"))
            .arg(mean, slowest);
    }

    /// "; 122 ms of it is waiting, most for rank 1"; empty where there is none, or it is not known.
    QString waitingText(const core::SummaryData &summary)
    {
        const std::int64_t waitNs = summary.parts.exposedWaitNs.value_or(0);
        if (waitNs == 0)
            return {};
        const QString wait = formatDuration(waitNs);
        if (!summary.waitedFor)
            return FigureRowText::tr("; %1 of it is waiting for other ranks").arg(wait);
        return (summary.isOnlyWaitedFor
                    ? FigureRowText::tr("; %1 of it is waiting for rank %2")
                    : FigureRowText::tr("; %1 of it is waiting, most for rank %2"))
            .arg(wait, QString::number(*summary.waitedFor));
    }

} // namespace

QWidget *createFigureRow(const core::SummaryData &summary, const Theme &theme)
{
    const std::int64_t wholeNs = core::wholeNs(summary.parts);
    const QString whole = summary.hasIterations ? FigureRowText::tr("%1 of the iteration")
                                                : FigureRowText::tr("%1 of the recording");
    const auto percent
        = [&](std::int64_t ns) { return whole.arg(formatPercent(share(ns, wholeNs))); };

    auto *figures = new QWidget;
    auto *row = new QHBoxLayout(figures);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::medium);
    const auto add = [&](const QString &name, const QString &value, const QString &detail,
                         const QColor &mark) {
        auto *tile = new FigureTile(figures);
        tile->setFigure(name, value, detail, mark);
        row->addWidget(tile, 1);
    };
    add(summary.hasIterations ? FigureRowText::tr("Iteration") : FigureRowText::tr("Recording"),
        formatDuration(wholeNs), ofText(summary), {});
    add(FigureRowText::tr("Compute"), formatDuration(summary.parts.computeNs),
        percent(summary.parts.computeNs), theme.role(core::Role::Forward));
    const QString hidden = summary.parts.overlapNs > 0
        ? FigureRowText::tr("%1 more is hidden behind compute")
              .arg(formatDuration(summary.parts.overlapNs))
        : FigureRowText::tr("none is hidden behind compute");
    add(FigureRowText::tr("Exposed communication"), formatDuration(summary.parts.exposedCommNs),
        percent(summary.parts.exposedCommNs) + waitingText(summary) + QStringLiteral("; ") + hidden,
        theme.role(core::Role::Communication));
    const QString copies = summary.parts.memOnlyNs > 0
        ? FigureRowText::tr("; %1 more is copies").arg(formatDuration(summary.parts.memOnlyNs))
        : QString();
    add(FigureRowText::tr("Idle"), formatDuration(summary.parts.idleNs),
        percent(summary.parts.idleNs) + copies, theme.idle);
    return figures;
}

} // namespace ui
