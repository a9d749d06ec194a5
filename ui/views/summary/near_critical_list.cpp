#include "ui/views/summary/near_critical_list.h"

#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QGridLayout>
#include <QPushButton>

#include <algorithm>

namespace ui {

namespace {

    constexpr std::size_t MostOps = 6;
    constexpr int LongestName = 60; ///< characters; kernels have longer ones

    enum Column { NameColumn, RankColumn, TimeColumn, IterationsColumn, SlackColumn, ColumnCount };

    QString nameOf(const core::NearCriticalOp &op)
    {
        const QString name = QString::fromStdString(op.name);
        return name.size() > LongestName ? name.left(LongestName) + QChar(0x2026) : name;
    }

    QString toolTipOf(const core::NearCriticalOp &op)
    {
        const QString where = QString::fromStdString(op.name + ", " + op.device);
        if (op.times < 2)
            return where;
        const QString ops = NearCriticalList::tr("%1 ops").arg(formatCount(op.times));
        return where + QLatin1Char('\n')
            + (op.iterations > 1
                   ? NearCriticalList::tr("%1 in %2 iterations").arg(ops).arg(op.iterations)
                   : ops);
    }

} // namespace

NearCriticalList::NearCriticalList(const core::NearCriticalReport &report, QWidget *parent)
    : QWidget(parent)
    , m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(space::huge);
    m_grid->setVerticalSpacing(space::tiny);
    m_grid->setColumnStretch(ColumnCount, 1); // what is left over
    addCell(0, NameColumn, tr("Op"), TextRole::Small);
    addCell(0, RankColumn, tr("Rank"), TextRole::Small);
    const bool hasSeveral = report.steadyIterations > 1;
    addCell(0, TimeColumn, hasSeveral ? tr("Per iteration") : tr("Time"), TextRole::Small);
    if (hasSeveral)
        addCell(0, IterationsColumn, tr("In iterations after the first"), TextRole::Small);
    addCell(0, SlackColumn, tr("Slack"), TextRole::Small);
    for (std::size_t i = 0; i < std::min(MostOps, report.steadyState.size()); ++i)
        addOp(static_cast<int>(i + 1), report.steadyState[i], report.steadyIterations);
    offerCsv(*this, QStringLiteral("nearly-critical"), [csv = csvOf(report)] { return csv; });
}

QString NearCriticalList::csvOf(const core::NearCriticalReport &report)
{
    QString text = csvLine(
        { tr("Op"), tr("Rank"), titleWithUnit(tr("Per iteration"), QStringLiteral("ns")),
          tr("In iterations after the first"), titleWithUnit(tr("Slack"), QStringLiteral("ns")) });
    for (const core::NearCriticalOp &op : report.steadyState)
        text += csvLine({ QString::fromStdString(op.name), op.rank,
                          QVariant::fromValue<qlonglong>(op.meanNs),
                          QVariant::fromValue<qulonglong>(op.iterations),
                          QVariant::fromValue<qlonglong>(op.slackNs) });
    return text;
}

void NearCriticalList::addCell(int row, int column, const QString &text, TextRole role)
{
    m_grid->addWidget(createLabel(text, role, this), row, column,
                      (column == NameColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

void NearCriticalList::addOp(int row, const core::NearCriticalOp &op, std::size_t iterations)
{
    QPushButton *link = createLink(nameOf(op), this);
    link->setProperty("flush", true);
    link->setToolTip(toolTipParagraphs(toolTipOf(op)));
    link->setEnabled(op.slice != core::NoSlice);
    connect(link, &QPushButton::clicked, this,
            [this, slice = op.slice,
             range = core::TimeRange { op.startNs, op.startNs + op.longestNs }] {
                emit opActivated(slice, range);
            });
    m_grid->addWidget(link, row, NameColumn, Qt::AlignLeft);
    addCell(row, RankColumn, QString::number(op.rank), TextRole::Normal);
    addCell(row, TimeColumn, formatDuration(op.meanNs), TextRole::Normal);
    if (iterations > 1)
        addCell(row, IterationsColumn, tr("%1 of %2").arg(op.iterations).arg(iterations),
                TextRole::Normal);
    addCell(row, SlackColumn, formatDuration(op.slackNs), TextRole::Normal);
}

} // namespace ui
