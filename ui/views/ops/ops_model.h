#pragma once

#include "core/analyze/report/op_table.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace ui {

using OpTable = std::vector<core::OpTableRow>;

/// The operations of a trace as a table.
class OpsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        NameColumn,
        ShapesColumn,
        KindColumn,
        OwnColumn,
        ShareColumn,
        CountColumn,
        MedianColumn,
        P95Column,
        LongestColumn,
        AlgorithmColumn,
        BusColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole }; ///< numbers: ns, parts, GB/s

    explicit OpsModel(QObject *parent = nullptr);

    void setTable(std::shared_ptr<const OpTable> table); ///< null empties it
    /// A column that this trace leaves empty, shapes and bandwidths, is not worth its place.
    bool isEmpty(Column column) const;
    const core::OpTableRow &row(int row) const { return (*m_table)[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const OpTable> m_table;
    std::vector<QString> m_shapes; ///< [rows]: what tells calls of one operation apart
};

/// Rows of a kind whose name contains a text, in either case.
class OpsFilter : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit OpsFilter(OpsModel &model, QObject *parent = nullptr);

    void setKind(std::optional<core::OpTableKind> kind); ///< empty: all but annotations
    void setText(const QString &text);
    const core::OpTableRow &rowAt(const QModelIndex &index) const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    OpsModel &m_model;
    std::optional<core::OpTableKind> m_kind;
    QString m_text;
};

/// "Framework op", for people.
QString opKindText(core::OpTableKind kind);

} // namespace ui
