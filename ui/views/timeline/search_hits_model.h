#pragma once

#include "ui/views/timeline/timeline_search.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace ui {

/// The hits of a search, a row a slice. Sort by SortRole.
class SearchHitsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        NameColumn,
        RankColumn,
        TrackColumn,
        StartColumn,
        DurationColumn,
        IterationColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole };

    explicit SearchHitsModel(QObject *parent);

    /// Null: no rows. originNs: aligned; starts count from it.
    void setHits(std::shared_ptr<const std::vector<SearchHit>> hits, std::int64_t originNs);
    /// Where starts lie in.
    void setIterations(std::vector<TimelineIteration> iterations);
    const SearchHit &hit(int row) const { return (*m_hits)[static_cast<std::size_t>(row)]; }
    /// Of a slice; empty: it is no hit.
    std::optional<int> rowOf(core::SliceId slice) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const SearchHit &hit, int column) const;
    QVariant key(const SearchHit &hit, int column) const;
    const TimelineIteration *iterationOf(const SearchHit &hit) const;

    std::shared_ptr<const std::vector<SearchHit>> m_hits;
    std::vector<TimelineIteration> m_iterations; ///< by start
    std::int64_t m_originNs = 0;
};

} // namespace ui
