#pragma once

#include "core/optimize/strategy_file.h"

#include <QAbstractTableModel>

#include <vector>

namespace ui {

/// How a strategy was found, step by step.
class StepsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { PassColumn, ChangeColumn, BeforeColumn, AfterColumn, ReasonColumn, ColumnCount };

    explicit StepsModel(QObject *parent);

    void setSteps(std::vector<core::StrategyStep> steps);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<core::StrategyStep> m_steps;
};

} // namespace ui
