#pragma once

#include "core/predict/peak_memory.h"

#include <QAbstractTableModel>
#include <QString>

#include <memory>

namespace ui {

/// The peak memory of each device, as measured and as predicted: a row a device.
class PeakMemoryModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        RankColumn,
        DeviceColumn,
        StartColumn, ///< in use when the iterations began
        MeasuredColumn,
        PredictedColumn,
        ChangeColumn,
        ColumnCount
    };

    explicit PeakMemoryModel(QObject *parent);
    /// May be null: no rows.
    void setSnapshot(std::shared_ptr<const core::PeakMemory> memory);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const core::MemoryPeak &peak, int column) const;

    std::shared_ptr<const core::PeakMemory> m_memory;
};

/// The largest peak of all devices, measured and predicted, or why it is not known: one sentence.
QString peakMemoryText(const core::PeakMemory &memory);

} // namespace ui
