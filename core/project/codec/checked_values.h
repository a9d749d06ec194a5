#pragma once

#include "core/base/time_range.h"
#include "core/project/project_limits.h"
#include "core/sqlite/database.h"

#include <cstdint>
#include <optional>

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

/// Of source_file, whose ids need not be dense.
constexpr std::uint64_t MostFileIds = std::uint64_t { 1 } << 32;

inline std::int64_t checkedTime(Database &db, const Statement &row, int column)
{
    const std::int64_t ns = row.integer(column);
    if (ns < -MaxTimeNs || ns > MaxTimeNs)
        db.failDamaged("an impossible time");
    return ns;
}

/// As checkedTime(), of a column that may be NULL.
inline std::optional<std::int64_t> checkedOptionalTime(Database &db, const Statement &row,
                                                       int column)
{
    if (!row.optional<std::int64_t>(column))
        return std::nullopt;
    return checkedTime(db, row, column);
}

inline TimeRange checkedRange(Database &db, const Statement &row, int column)
{
    const TimeRange range = { checkedTime(db, row, column), checkedTime(db, row, column + 1) };
    if (range.endNs < range.startNs)
        db.failDamaged("an impossible time");
    return range;
}

} // namespace core
