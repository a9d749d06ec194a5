#include "ui/views/strategies/steps_model.h"

#include "core/optimize/pass_list.h"
#include "core/optimize/search.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>

#include <utility>

namespace ui {

namespace {

    /// The title of a pass; its name where this version has none of that name.
    QString passTitle(const std::string &name)
    {
        for (const auto &pass : core::passes())
            if (pass->info().name == name)
                return QCoreApplication::translate("Passes",
                                                   std::string(pass->info().title).c_str());
        if (name == core::StartStep)
            return StepsModel::tr("Start");
        if (name == core::BaselineSteps)
            return StepsModel::tr("Defaults");
        return QString::fromStdString(name);
    }

    QString stepText(const core::StrategyStep &step, int column)
    {
        switch (column) {
        case StepsModel::PassColumn:
            return passTitle(step.pass);
        case StepsModel::ChangeColumn:
            return QString::fromStdString(step.change);
        case StepsModel::BeforeColumn:
            return formatDuration(step.beforeNs);
        case StepsModel::AfterColumn:
            return formatDuration(step.afterNs);
        case StepsModel::ReasonColumn:
            return unbrokenUnits(QString::fromStdString(step.reason));
        default:
            return {};
        }
    }

    bool isNumber(int column)
    {
        return column == StepsModel::BeforeColumn || column == StepsModel::AfterColumn;
    }

} // namespace

StepsModel::StepsModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void StepsModel::setSteps(std::vector<core::StrategyStep> steps)
{
    beginResetModel();
    m_steps = std::move(steps);
    endResetModel();
}

int StepsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_steps.size());
}

int StepsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant StepsModel::data(const QModelIndex &index, int role) const
{
    const core::StrategyStep &step = m_steps[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return stepText(step, index.column());
    case Qt::ToolTipRole:
        return isNumber(index.column()) ? QVariant()
                                        : toolTipParagraphs(stepText(step, index.column()));
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter | (isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
    default:
        return {};
    }
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const QStringList names { tr("Family"), tr("Change"), tr("Before"), tr("After"), tr("Why") };
    if (role == Qt::DisplayRole)
        return names[section];
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (isNumber(section) ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

} // namespace ui
