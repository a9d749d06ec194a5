#pragma once

#include "core/change/change.h"
#include "core/optimize/strategy_file.h"

#include <QAbstractTableModel>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace ui {

/// One line of the table of what was tried: the measured job, a strategy that the project keeps, or
/// one that is shown and not kept.
struct Scenario
{
    std::int64_t id = 0; ///< of a kept one; 0: it is not kept
    QString name;
    core::Strategy strategy; ///< empty: the measured job
    std::optional<core::StrategyFigures> figures; ///< empty: not stated
    QString problem; ///< why it does not fit this job; empty: it does
    bool isAbove = false, isBelow = false; ///< which of the two timelines shows it

    bool isMeasured() const { return strategy.isEmpty() && id == 0; }
};

/// Scenarios that were tried, a line each. GUI thread.
class ScenarioModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        Above, ///< a mark: it is the upper timeline
        Below,
        Name,
        Iteration,
        Interval,
        Change, ///< of the measured iteration
        Trust,
        Compute,
        Exposed,
        Memory,
        ColumnCount
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setScenarios(std::vector<Scenario> scenarios, std::int64_t measuredNs);
    const Scenario &scenario(int row) const { return m_scenarios[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

signals:
    void renamed(std::int64_t id, const QString &name); ///< by the user; the name stays till set

private:
    QString text(const Scenario &scenario, int column) const;

    std::vector<Scenario> m_scenarios;
    std::int64_t m_measuredNs = 0;
};

} // namespace ui
