#pragma once

#include "ui/models/input_summary.h"
#include "ui/models/severity_icons.h"

#include <QAbstractTableModel>

#include <memory>

namespace ui {

/// The files of a project's input, read or not: a row a file.
class SourceFilesModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        StatusColumn,
        NameColumn,
        FormatColumn,
        RanksColumn,
        ReasonColumn,
        SizeColumn,
        RecordsColumn,
        ProblemsColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole };

    explicit SourceFilesModel(QObject *parent);
    void setSnapshot(std::shared_ptr<const InputSummary> snapshot);
    void setIcons(const SeverityIcons &icons, const QIcon &readWell);
    /// Row of the snapshot.
    const InputFile &file(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QIcon statusIcon(const InputFile &file) const;

    std::shared_ptr<const InputSummary> m_snapshot;
    SeverityIcons m_icons;
    QIcon m_readWell;
};

/// "0", "0, 2", "0-7": runs of three or more ranks are written as their ends.
QString rankList(const std::vector<int> &ranks);

} // namespace ui
