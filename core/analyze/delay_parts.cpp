#include "core/analyze/delay_parts.h"

#include "core/model/slice_index.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    /// What only groups operations: while nothing else runs inside of it, none runs.
    bool onlyGroups(Category category)
    {
        return category == Category::UserAnnotation || category == Category::PythonFunction
            || category == Category::Span || category == Category::Overhead;
    }

    /// By row: the row of the outermost operation around it, or itself where none is.
    std::vector<std::uint32_t> outermostRows(const SliceColumns &slices)
    {
        std::vector<std::uint32_t> rows(slices.size());
        std::uint32_t outermost = 0;
        std::int64_t coveredUntil = std::numeric_limits<std::int64_t>::min();
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            rows[row] = row;
            if (slices.startNs[row] < coveredUntil) {
                rows[row] = outermost;
            } else if (!onlyGroups(slices.category[row])) {
                outermost = row;
                coveredUntil = slices.endNs(row);
            }
        }
        return rows;
    }

} // namespace

std::vector<DelayParts> delayParts(const Trace &trace, const Graph &graph)
{
    std::vector<std::vector<std::uint32_t>> outermost(trace.slices.size()); // as they are needed
    const SliceIndex index(trace);
    std::vector<DelayParts> parts;
    parts.reserve(graph.size());
    for (std::size_t op = 0; op < graph.size(); ++op) {
        parts.push_back({ graph.name[op], graph.delayNs[op] });
        const auto place = index.find(graph.slice[op]);
        if (!place || graph.delayNs[op] <= 0)
            continue;
        const SliceColumns &slices = trace.slices[place->track.value];
        std::vector<std::uint32_t> &rows = outermost[place->track.value];
        if (rows.empty())
            rows = outermostRows(slices);
        const std::size_t row = rows[place->row];
        if (row == place->row)
            continue;
        const std::int64_t insideNs
            = graph.measuredStartNs[op] - trace.toAligned(graph.worker[op], slices.startNs[row]);
        parts.back().name = slices.name[row];
        parts.back().gapNs -= std::clamp<std::int64_t>(insideNs, 0, graph.delayNs[op]);
    }
    return parts;
}

} // namespace core
