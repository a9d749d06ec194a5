#pragma once

#include "ui/views/timeline/picked_path.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ui {

/// Rows that are listed: all of the path, or one part of it.
struct PathFilter
{
    std::string kind; ///< empty: every part
    /// Of "wait": the rank that is waited for; empty: those for no known rank.
    std::optional<int> waitsFor = {};
    bool isOnPath = true; ///< false: what is nearly critical

    friend bool operator==(const PathFilter &, const PathFilter &) = default;
};

/// The segments of a picked path, in order of time. Sort by SortRole.
class PathModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        StartColumn, ///< from the iteration's begin
        PartColumn,
        NameColumn,
        RankColumn,
        DurationColumn,
        ShareColumn,
        SlackColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole };

    explicit PathModel(QObject *parent);
    void setSnapshot(std::shared_ptr<const PickedPath> path, const PathFilter &filter);
    const core::PathSegment &segment(int row) const;
    core::TimeRange shownRange(int row) const; ///< aligned; as the timeline shows it
    /// Row of the segment that has this slice.
    std::optional<int> rowOf(core::SliceId slice) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const core::PathSegment &segment, int column) const;
    QVariant key(const core::PathSegment &segment, int column) const;
    std::int64_t startNs(const core::PathSegment &segment) const;

    std::shared_ptr<const PickedPath> m_path; ///< may be null: no rows
    std::vector<std::size_t> m_rows; ///< of the path's segments
};

/// "Wait for rank 3"; without a rank "Wait".
QString waitTitle(std::optional<int> rank);

} // namespace ui
