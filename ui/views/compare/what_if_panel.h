#pragma once

#include "core/predict/run_scenario.h"

#include <QList>
#include <QWidget>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QVBoxLayout;

namespace ui {

class CollectiveRow;
class RankSettingRow;
class ScheduleRow;
class SettingRow;
class StatusNote;

/// The settings of the what-if, with the measured values they start from.
class WhatIfPanel : public QWidget
{
    Q_OBJECT

public:
    explicit WhatIfPanel(QWidget *parent);

    core::ScenarioSettings settings() const;
    void setSettings(const core::ScenarioSettings &settings); ///< without a signal
    void setUsable(bool usable);
    void setRanks(const QList<int> &ranks);
    /// Between which transfers are; one choice is none.
    void setTransferringRanks(const std::set<std::vector<int>> &sets);
    /// How the job sends slices already; empty: it does not.
    void setRecordedSlices(const std::optional<core::ScenarioSettings> &recorded);
    /// What the job ran with: the bucket size in MiB, and the rate of each rank's link in Mbit/s;
    /// empty where that is not known.
    void showRecorded(std::optional<double> bucketCapMb, const std::map<int, double> &linkMbit);
    /// Disables what cannot be predicted on this trace and says why.
    void showObstacles(const core::SettingObstacles &obstacles);
    /// The link that was fitted from the trace; of several the one that carries most. The bandwidth
    /// settings begin with its rate, and change nothing then.
    void showLinks(const std::vector<core::LinkModel> &links);
    /// "predicting...", an error, or how far a prediction is trusted; empty: nothing.
    void showStatus(const QString &text, bool isError);

signals:
    void settingsChanged();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    using Field = std::optional<double> core::ScenarioSettings::*;
    struct Number
    {
        Field field;
        SettingRow *row;
    };
    using Obstacle = std::optional<std::string> core::SettingObstacles::*;
    /// Rows that cannot be used for one reason, and the label behind them that tells it.
    struct Hindered
    {
        Obstacle reason;
        QList<QWidget *> rows;
        QStringList toolTips; ///< of the rows, where nothing hinders them
        QLabel *label;
    };

    void placeRows();
    void addBuckets(QVBoxLayout &layout);
    void replaceEachOther(const QList<SettingRow *> &buckets, const QList<SettingRow *> &fusion);
    void addNetwork(QVBoxLayout &layout);
    void addCompute(QVBoxLayout &layout);
    SettingRow *addNumber(QVBoxLayout &layout, Field field, SettingRow *row);
    void addObstacle(QVBoxLayout &layout, Obstacle reason, const QList<QWidget *> &rows);
    SettingRow *rowOf(Field field) const;
    void showTransferringRanks();

    std::vector<Number> m_numbers;
    std::vector<Hindered> m_hindered;
    RankSettingRow *m_bandwidthOf = nullptr;
    RankSettingRow *m_commScaleOf = nullptr;
    std::set<std::vector<int>> m_transferringRanks, m_shownRanks; ///< these, and what is set
    RankSettingRow *m_computeScaleOf = nullptr;
    CollectiveRow *m_collective = nullptr;
    ScheduleRow *m_schedule = nullptr;
    QCheckBox *m_idealPeers = nullptr;
    QCheckBox *m_idealPipeline = nullptr;
    QCheckBox *m_expand = nullptr;
    QWidget *m_rows; ///< scrolled
    QLabel *m_link;
    StatusNote *m_status;
};

} // namespace ui
