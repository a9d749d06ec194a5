#pragma once

#include "ui/views/timeline/area_totals.h"

#include <QAbstractTableModel>

#include <memory>

namespace ui {

/// The totals of an area as one of three tables: by name, by role, by rank. Sort by SortRole.
class AreaTotalsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Table { Names, Roles, Ranks };
    enum Role { SortRole = Qt::UserRole };

    explicit AreaTotalsModel(Table table, QObject *parent = nullptr);

    void setSnapshot(std::shared_ptr<const AreaTotals> totals);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// One cell: its text, and what it sorts by.
    struct Cell
    {
        QString text;
        QVariant key;
    };
    QString title(int section) const;
    QString unit(int column) const;
    Cell cell(int row, int column) const;
    Cell nameCell(const NameTotal &total, int column) const;
    Cell roleCell(const RoleTotal &total, int column) const;
    Cell rankCell(const RankTotal &total, int column) const;

    Table m_table;
    std::shared_ptr<const AreaTotals> m_totals;
};

} // namespace ui
