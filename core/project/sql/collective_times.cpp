#include "core/project/sql/collective_times.h"

#include <algorithm>
#include <utility>

namespace core {

CollectiveTimes::CollectiveTimes(CollectiveTimesSource source)
    : m_source(std::move(source))
{
}

void CollectiveTimes::compute(const JobControl &control)
{
    if (m_isComputed)
        return;
    std::vector<CollectiveTime> rows = m_source(control);
    std::ranges::stable_sort(rows, {}, [](const CollectiveTime &row) { return row.slice.value; });
    const auto isOfSameSlice = [](const CollectiveTime &a, const CollectiveTime &b) {
        return a.slice.value == b.slice.value;
    };
    rows.erase(std::unique(rows.begin(), rows.end(), isOfSameSlice), rows.end());
    m_rows = std::move(rows);
    m_isComputed = true;
}

} // namespace core
