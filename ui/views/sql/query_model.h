#pragma once

#include "core/base/time_range.h"
#include "core/graph/graph.h"
#include "core/project/read/project_reader.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>

namespace ui {

/// The result of a SQL query as a table. Numbers stand right and sort as numbers.
class QueryModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role { SortRole = Qt::UserRole };

    explicit QueryModel(QObject *parent = nullptr);

    void setResult(std::shared_ptr<const core::QueryResult> result); ///< null empties it

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// A place in the timeline that a row names.
    struct Place
    {
        core::SliceId slice = core::NoSlice; ///< by column `slice`, or `id` beside `raw_start_ns`
        core::TimeRange range; ///< aligned: `start_ns` and `dur_ns`; empty: not named
    };
    /// Empty where the row names none.
    std::optional<Place> placeOf(int row) const;

    /// Whether the columns name times: `start_ns` and `dur_ns`.
    bool namesTimes() const;

private:
    std::optional<std::int64_t> numberIn(int row, const std::string &column) const;

    std::shared_ptr<const core::QueryResult> m_result;
};

} // namespace ui
