#include "core/analyze/rank_cells.h"

#include <algorithm>

namespace core {

namespace {

    template <class Value>
    RankRow rowOf(const SummaryData &data, const char *name, Value value)
    {
        RankRow row { name, {} };
        row.ns.reserve(data.ranks.size());
        for (const RankParts &rank : data.ranks)
            row.ns.push_back(value(rank));
        return row;
    }

} // namespace

std::vector<RankRow> rankRows(const SummaryData &data)
{
    std::vector<RankRow> rows { rowOf(data, "Compute, copies", [](const RankParts &rank) {
        return rank.computeNs + rank.memOnlyNs;
    }) };
    rows.push_back(
        rowOf(data, data.hasWaits ? "Exposed transfer" : "Communication",
              [](const RankParts &rank) { return rank.exposedCommNs - rank.exposedWaitNs; }));
    if (data.hasWaits)
        rows.push_back(
            rowOf(data, WaitRow, [](const RankParts &rank) { return rank.exposedWaitNs; }));
    rows.push_back(rowOf(data, "Idle", [](const RankParts &rank) { return rank.idleNs; }));
    if (data.hasWaits)
        rows.push_back(
            rowOf(data, "Makes others wait", [](const RankParts &rank) { return rank.lateNs; }));
    return rows;
}

std::int64_t wholeNsOf(const SummaryData &data)
{
    std::int64_t wholeNs = 1;
    for (const RankParts &rank : data.ranks)
        wholeNs = std::max(wholeNs, rank.totalNs());
    return wholeNs;
}

std::vector<std::int64_t> inColumns(const std::vector<std::int64_t> &ns, std::size_t columns)
{
    if (ns.size() <= columns)
        return ns;
    std::vector<std::int64_t> largest(columns, 0);
    for (std::size_t i = 0; i < ns.size(); ++i) {
        std::int64_t &column = largest[i * columns / ns.size()];
        column = std::max(column, ns[i]);
    }
    return largest;
}

} // namespace core
