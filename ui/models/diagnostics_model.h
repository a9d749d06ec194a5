#pragma once

#include "ui/models/input_summary.h"
#include "ui/models/severity_icons.h"

#include <QAbstractTableModel>

#include <memory>

namespace ui {

/// What an import skipped or wants known: a row a (code, file) pair.
class DiagnosticsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        SeverityColumn,
        ProblemColumn,
        MessageColumn,
        FileColumn,
        OffsetColumn,
        CountColumn,
        ColumnCount
    };
    enum Role {
        SortRole = Qt::UserRole,
        SeverityRole, ///< core::Severity as a number
        FullTextRole, ///< as it is shown, but a file with its whole name
    };

    explicit DiagnosticsModel(QObject *parent);
    void setSnapshot(std::shared_ptr<const InputSummary> snapshot);
    void setIcons(const SeverityIcons &icons);
    /// Row of the snapshot.
    const core::Diagnostic &diagnostic(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const core::Diagnostic &diagnostic, int column) const;
    QString fullText(const core::Diagnostic &diagnostic, int column) const;
    static QString offsetText(const core::Diagnostic &diagnostic);
    QVariant sortKey(const core::Diagnostic &diagnostic, int column) const;

    std::shared_ptr<const InputSummary> m_snapshot;
    SeverityIcons m_icons;
};

} // namespace ui
