#include "ui/views/timeline/path_split.h"

#include "ui/widgets/format.h"

#include <QCoreApplication>

namespace ui {

namespace {

    struct PathText
    {
        Q_DECLARE_TR_FUNCTIONS(PathSplit)
    };

    QString noteOf(const core::Diagnosis &diagnosis)
    {
        const core::CriticalPathReport &path = diagnosis.criticalPath;
        const QString replayed = formatDuration(path.totalNs());
        if (!diagnosis.hasIterations)
            return PathText::tr("The whole recording: %1 replayed.").arg(replayed);
        const QString iteration = diagnosis.period
            ? PathText::tr("Iteration %1, nearest to the mean over a period")
            : path.iterations.size() > 1 ? PathText::tr("Iteration %1, nearest to the median")
                                         : PathText::tr("Iteration %1");
        return PathText::tr("%1: %2 replayed.").arg(iteration.arg(path.iteration), replayed);
    }

} // namespace

PathSplit pathSplit(const core::Diagnosis &diagnosis)
{
    const core::CriticalPathReport &path = diagnosis.criticalPath;
    const std::pair<QString, std::int64_t> parts[] = {
        { PathText::tr("Compute"), path.computeNs },
        { PathText::tr("Communication, transfer"), path.commNs },
        { PathText::tr("Copies"), path.copyNs },
        { PathText::tr("Waiting for other ranks"), path.waitNs },
        { PathText::tr("Launch"), path.launchNs },
        { PathText::tr("Host"), path.hostNs },
        { PathText::tr("Input"), path.inputNs },
        { PathText::tr("Idle"), path.idleNs },
    };
    PathSplit split;
    for (const auto &[name, ns] : parts)
        if (ns > 0)
            split.rows.emplace_back(
                name,
                PathText::tr("%1 (%2)").arg(
                    formatDuration(ns),
                    formatPercent(static_cast<double>(ns) / static_cast<double>(path.totalNs()))));
    if (!split.rows.empty())
        split.note = noteOf(diagnosis);
    return split;
}

} // namespace ui
