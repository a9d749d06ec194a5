#pragma once

#include "core/base/time_range.h"
#include "core/project/project_limits.h"
#include "core/sqlite/database.h"

// Values of a row that a stranger may have written. What is impossible is damage.

namespace core {

/// The id in a column; it must be below `count`.
template <class Id>
Id checkedId(Database &db, const Statement &row, int column, std::uint64_t count)
{
    const std::uint64_t value = row.natural(column);
    if (value >= count)
        db.failDamaged("an id points nowhere");
    return Id(static_cast<decltype(Id::value)>(value));
}

inline std::int64_t checkedTime(Database &db, const Statement &row, int column)
{
    const std::int64_t ns = row.integer(column);
    if (ns < -MaxTimeNs || ns > MaxTimeNs)
        db.failDamaged("an impossible time");
    return ns;
}

inline TimeRange checkedRange(Database &db, const Statement &row, int column)
{
    const TimeRange range = { checkedTime(db, row, column), checkedTime(db, row, column + 1) };
    if (range.endNs < range.startNs)
        db.failDamaged("an impossible time");
    return range;
}

} // namespace core
