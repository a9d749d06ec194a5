#include "ui/graph/block_words.h"

#include "ui/widgets/format.h"

#include <QCoreApplication>

namespace ui {

namespace {

    struct Words
    {
        Q_DECLARE_TR_FUNCTIONS(Graph)
    };

} // namespace

QString blockTitle(const core::DrawnBlock &block)
{
    return QString::fromStdString(core::titleOf(block));
}

QStringList blockFacts(const core::DrawnBlock &block)
{
    QStringList facts { Words::tr("Duration %1").arg(formatDuration(block.durationNs())) };
    if (block.waitNs > 0)
        facts << Words::tr("Waits %1 for other ranks").arg(formatDuration(block.waitNs));
    if (block.count > 1)
        facts << Words::tr("%1 operations, which take %2")
                     .arg(block.count)
                     .arg(formatDuration(block.busyNs));
    if (block.path)
        facts << Words::tr("On the critical path for %1").arg(formatDuration(block.onPathNs));
    else if (block.slackNs > 0)
        facts << Words::tr("Slack %1: it could end this much later, and the iteration would not")
                     .arg(formatDuration(block.slackNs));
    else if (block.slackNs == 0)
        facts << Words::tr("No slack: the iteration would end later with it");
    else
        facts << Words::tr("Nothing of this iteration waits for it");
    return facts;
}

} // namespace ui
