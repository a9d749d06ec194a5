#pragma once

#include "ui/models/input_summary.h"
#include "ui/models/severity_icons.h"

#include <QAbstractTableModel>
#include <QIcon>

#include <memory>

namespace ui {

/// What the tables of a project's input have in common: a snapshot, a mark in the first column that
/// says how reading went, texts on the left and numbers on the right.
class SourceTableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role { SortRole = Qt::UserRole };

    void setSnapshot(std::shared_ptr<const InputSummary> snapshot);
    void setIcons(const SeverityIcons &icons, const QIcon &readWell);

    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    /// Columns from `firstNumberColumn` on hold numbers.
    SourceTableModel(int columnCount, int firstNumberColumn, QObject *parent);

    const InputSummary &snapshot() const { return *m_snapshot; }
    /// The mark of what was read without a problem, or of the worst one.
    QIcon markOf(bool isReadWell, core::Severity worst) const;

    virtual QString title(int column) const = 0;
    virtual QString text(int row, int column) const = 0;
    virtual QString toolTip(int row, int column) const = 0;
    virtual QIcon mark(int row) const = 0;
    virtual QVariant sortKey(int row, int column) const = 0;

private:
    QVariant alignmentOf(int column) const;

    int m_columnCount, m_firstNumberColumn;
    std::shared_ptr<const InputSummary> m_snapshot;
    SeverityIcons m_icons;
    QIcon m_readWell;
};

} // namespace ui
