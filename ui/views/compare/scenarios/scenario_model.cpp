#include "ui/views/compare/scenarios/scenario_model.h"

#include "core/measure/parts.h"
#include "ui/models/trust_words.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/result_text.h"
#include "ui/views/compare/setting_words.h"
#include "ui/widgets/format.h"

#include <QFont>
#include <QGuiApplication>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

    QString mark(bool isOn)
    {
        return isOn ? QStringLiteral("\u25cf") : QStringLiteral("\u25cb");
    }

    /// Share of the mean iteration of all ranks; a share is not mixed up with a median time.
    QString shareText(std::int64_t partNs, const core::PartTimes &parts)
    {
        const std::int64_t wholeNs = core::wholeNs(parts);
        return wholeNs > 0
            ? formatPercent(static_cast<double>(partNs) / static_cast<double>(wholeNs))
            : QString();
    }

    const QString &notKnown()
    {
        static const QString dash = QStringLiteral("\u2013");
        return dash;
    }

    QString headerHint(int section)
    {
        switch (section) {
        case ScenarioModel::Iteration:
        case ScenarioModel::Interval:
        case ScenarioModel::Change:
            return ScenarioModel::tr("Of the median iteration of the slowest rank; where kinds of "
                                     "iterations repeat, of the mean one");
        case ScenarioModel::Compute:
        case ScenarioModel::Exposed:
            return ScenarioModel::tr("Share of an iteration, all ranks together. Exposed is "
                                     "communication that no computation hides.");
        default:
            return {};
        }
    }

} // namespace

void ScenarioModel::setScenarios(std::vector<Scenario> scenarios, std::int64_t measuredNs)
{
    beginResetModel();
    m_scenarios = std::move(scenarios);
    m_measuredNs = measuredNs;
    endResetModel();
}

int ScenarioModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_scenarios.size());
}

int ScenarioModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QString ScenarioModel::text(const Scenario &scenario, int column) const
{
    if (column == Above)
        return mark(scenario.isAbove);
    if (column == Below)
        return mark(scenario.isBelow);
    if (column == Name)
        return scenario.name;
    if (!scenario.figures)
        return notKnown();
    const core::StrategyFigures &figures = *scenario.figures;
    switch (column) {
    case Iteration:
        return formatDuration(figures.iterationNs);
    case Interval:
        return figures.ci95Ns
            ? tr("%1 to %2")
                  .arg(formatDuration(std::max<std::int64_t>(0, figures.ci95Ns->first)),
                       formatDuration(figures.ci95Ns->second))
            : notKnown();
    case Change:
        return scenario.isMeasured() ? notKnown() : changeText(m_measuredNs, figures.iterationNs);
    case Trust:
        return figures.trust ? gradeText(*figures.trust) : notKnown();
    case Compute:
        return figures.parts ? shareText(figures.parts->computeNs, *figures.parts) : notKnown();
    case Exposed:
        return figures.parts ? shareText(figures.parts->exposedCommNs, *figures.parts) : notKnown();
    case Memory:
        return figures.peakMemoryBytes ? formatBytes(*figures.peakMemoryBytes) : notKnown();
    default:
        return {};
    }
}

QVariant ScenarioModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const Scenario &one = scenario(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(one, index.column());
    case Qt::EditRole:
        return one.name;
    case Qt::ToolTipRole: {
        if (!one.problem.isEmpty())
            return toolTipParagraphs(one.problem);
        if (index.column() == Above)
            return toolTipParagraphs(tr("Shows it above"));
        if (index.column() == Below)
            return toolTipParagraphs(tr("Sets it, and shows it below"));
        const QString words = settingWords(one.strategy);
        return toolTipParagraphs(words.isEmpty() ? tr("Nothing is changed.") : words);
    }
    case Qt::TextAlignmentRole:
        if (index.column() == Name)
            return int(Qt::AlignLeft | Qt::AlignVCenter);
        return index.column() <= Below ? int(Qt::AlignCenter)
                                       : int(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole: {
        QFont font = uiFont(TextSize::Normal);
        font.setItalic(one.id == 0 && !one.isMeasured()); // not kept
        return font;
    }
    case Qt::ForegroundRole:
        if (one.figures && one.figures->trust == core::TrustLevel::Poor && index.column() > Name)
            return themeOf(QGuiApplication::palette()).secondaryText;
        return {};
    case Qt::AccessibleTextRole:
        if (index.column() == Above && one.isAbove)
            return tr("%1 is above").arg(one.name);
        if (index.column() == Below && one.isBelow)
            return tr("%1 is below").arg(one.name);
        return {};
    default:
        return {};
    }
}

bool ScenarioModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (role != Qt::EditRole || !index.isValid() || scenario(index.row()).id == 0)
        return false;
    emit renamed(scenario(index.row()).id, value.toString());
    return true;
}

QVariant ScenarioModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == Name ? int(Qt::AlignLeft | Qt::AlignVCenter)
            : section <= Below ? int(Qt::AlignCenter)
                               : int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return toolTipParagraphs(headerHint(section));
    if (role != Qt::DisplayRole)
        return {};
    const QStringList titles {
        tr("Above"),  tr("Below"), tr("Scenario"),       tr("Median iteration"), tr("95 %"),
        tr("Change"), tr("Trust"), tr("Compute, share"), tr("Exposed, share"),   tr("Peak memory")
    };
    return titles[section];
}

Qt::ItemFlags ScenarioModel::flags(const QModelIndex &index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == Name && scenario(index.row()).id != 0)
        flags |= Qt::ItemIsEditable;
    return flags;
}

} // namespace ui
