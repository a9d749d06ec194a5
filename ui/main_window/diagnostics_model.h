#pragma once

#include "core/base/diagnostics.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace ui {

/// What an import skipped or wants known: a row a (code, file) pair.
class DiagnosticsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        SeverityColumn,
        FileColumn,
        OffsetColumn,
        CountColumn,
        MessageColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole };

    using Snapshot = std::shared_ptr<const std::vector<core::Diagnostic>>;

    explicit DiagnosticsModel(QObject *parent);
    void setSnapshot(Snapshot snapshot);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const core::Diagnostic &diagnostic, int column) const;
    QVariant sortKey(const core::Diagnostic &diagnostic, int column) const;

    Snapshot m_snapshot;
};

} // namespace ui
