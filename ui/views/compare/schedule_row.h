#pragma once

#include "core/change/gradients/partition_changes.h"

#include <QString>
#include <QWidget>

#include <optional>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;

namespace ui {

/// How gradients are sent: a box that says whether the schedule applies, the schedule, and for
/// partitions their size and the credit.
class ScheduleRow : public QWidget
{
    Q_OBJECT

public:
    explicit ScheduleRow(QWidget *parent);

    /// Adds schedule, partition_bytes and credit_bytes.
    void addTo(core::Strategy &strategy) const;
    void setValues(const core::Strategy &strategy); ///< without a signal
    /// How the job sends partitions already, which what is not set leaves so; empty: it does not.
    void setRecorded(const std::optional<core::PartitionChanges> &recorded);
    bool isPartitioned() const; ///< partitions instead of buckets

signals:
    void valueChanged();

private:
    static QString asRecorded(const std::optional<double> &bytes);
    bool areAsRecorded() const; ///< the partitions, but for their credit
    void showSizes();

    QCheckBox *m_box;
    QComboBox *m_schedule;
    QDoubleSpinBox *m_partition; ///< bytes; 0: as recorded, else P3's
    QDoubleSpinBox *m_credit; ///< bytes; 0: as recorded of partitions as recorded, else no limit
    std::optional<core::PartitionChanges> m_recorded;
};

} // namespace ui
