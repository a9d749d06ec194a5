#include "ui/views/summary/near_critical_list.h"

#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

    constexpr std::size_t MostOps = 6;
    constexpr int LongestName = 60; ///< characters; kernels have longer ones

    QString lineOf(const core::NearCriticalOp &op)
    {
        QString name = QString::fromStdString(op.name);
        if (name.size() > LongestName)
            name = name.left(LongestName) + QChar(0x2026);
        const QString time = op.times > 1
            ? NearCriticalList::tr("%1 in %2 ops")
                  .arg(formatDuration(op.durationNs), formatCount(op.times))
            : formatDuration(op.durationNs);
        return NearCriticalList::tr("%1 on rank %2: %3, slack %4")
            .arg(name, QString::number(op.rank), time, formatDuration(op.slackNs));
    }

} // namespace

NearCriticalList::NearCriticalList(const core::NearCriticalReport &report, QWidget *parent)
    : QWidget(parent)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::tiny);
    for (std::size_t i = 0; i < std::min(MostOps, report.steadyState.size()); ++i) {
        const core::NearCriticalOp &op = report.steadyState[i];
        QPushButton *link = createLink(lineOf(op), this);
        link->setProperty("flush", true);
        link->setToolTip(QString::fromStdString(op.name));
        link->setEnabled(op.slice != core::NoSlice);
        connect(link, &QPushButton::clicked, this,
                [this, slice = op.slice,
                 range = core::TimeRange { op.startNs, op.startNs + op.longestNs }] {
                    emit opActivated(slice, range);
                });
        column->addWidget(link, 0, Qt::AlignLeft);
    }
}

} // namespace ui
