#pragma once

#include "core/scenario/scenario.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;

namespace ui {

/// How gradients are sent: a box that says whether the schedule applies, the schedule, and for
/// slices their size and the credit.
class ScheduleRow : public QWidget
{
    Q_OBJECT

public:
    explicit ScheduleRow(QWidget *parent);

    /// Writes schedule, partitionBytes and creditBytes.
    void addTo(core::ScenarioSettings &settings) const;
    void setValues(const core::ScenarioSettings &settings); ///< without a signal
    bool isSliced() const; ///< slices instead of buckets

signals:
    void valueChanged();

private:
    void showSizes();

    QCheckBox *m_box;
    QComboBox *m_schedule;
    QDoubleSpinBox *m_partition; ///< bytes; 0: P3's
    QDoubleSpinBox *m_credit; ///< bytes; 0: no limit
};

} // namespace ui
