#pragma once

#include "core/scenario/scenario.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace ui {

class SettingRow;

/// The settings of the what-if, with the measured values they start from.
class WhatIfPanel : public QWidget
{
    Q_OBJECT

public:
    explicit WhatIfPanel(QWidget *parent);

    core::ScenarioSettings settings() const;
    void setSettings(const core::ScenarioSettings &settings); ///< without a signal
    /// Disables what cannot be predicted on this trace and says why.
    void showObstacles(const core::SettingObstacles &obstacles);
    /// The link that was fitted from the trace; the first of `links` sets the slider's middle.
    void showLinks(const std::vector<core::LinkModel> &links);
    /// "predicting..." or an error under the settings; empty: nothing.
    void showStatus(const QString &text, bool isError);

signals:
    void settingsChanged();

private:
    SettingRow *m_bucket;
    SettingRow *m_firstBucket;
    SettingRow *m_bandwidth;
    SettingRow *m_bandwidthScale;
    QLabel *m_bucketObstacle;
    QLabel *m_bandwidthObstacle;
    QLabel *m_link;
    QLabel *m_status;
    QPushButton *m_reset;
};

} // namespace ui
