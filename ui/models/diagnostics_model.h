#pragma once

#include "ui/models/input_summary.h"
#include "ui/models/severity_icons.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <memory>
#include <vector>

namespace ui {

/// What an import skipped or wants known: a row a (code, file) pair. Files of which the same is
/// said, without a place in them, share a row.
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
    /// The first of the row's.
    const core::Diagnostic &diagnostic(int row) const;
    bool hasPlaces() const; ///< whether a row has an offset
    std::size_t countOf(core::Severity severity) const; ///< rows

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// Indices into the snapshot's diagnostics.
    using Row = std::vector<std::size_t>;

    const core::Diagnostic &firstOf(const Row &row) const;
    std::uint64_t timesOf(const Row &row) const;
    QString filesText(const Row &row) const;
    QString text(const Row &row, int column) const;
    QString fullText(const Row &row, int column) const;
    static QString offsetText(const core::Diagnostic &diagnostic);
    QVariant sortKey(const Row &row, int column) const;

    std::shared_ptr<const InputSummary> m_snapshot;
    std::vector<Row> m_rows;
    SeverityIcons m_icons;
};

} // namespace ui
