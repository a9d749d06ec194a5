#include "core/analyze/report/delay_parts.h"

#include "core/analyze/report/last_causes.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <limits>
#include <optional>

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

    class DelaySplitter
    {
    public:
        DelaySplitter(const Trace &trace, const Graph &graph)
            : m_trace(trace)
            , m_graph(graph)
            , m_index(trace)
            , m_causes(graph)
            , m_outermost(trace.slices.size())
        {
        }

        DelayParts of(std::size_t op)
        {
            DelayParts parts { m_graph.name[op], m_graph.delayNs[op] };
            if (parts.gapNs <= 0)
                return parts;
            parts.before = nameBefore(op);
            const auto place = m_index.find(m_graph.slice[op]);
            if (!place)
                return parts;
            const SliceColumns &slices = m_trace.slices[place->track.value];
            const std::size_t row = outermostOf(*place);
            const std::int64_t startNs = m_trace.toAligned(m_graph.worker[op], slices.startNs[row]);
            if (row != place->row) {
                parts.name = slices.name[row];
                parts.gapNs -= std::clamp<std::int64_t>(m_graph.measuredStartNs[op] - startNs, 0,
                                                        parts.gapNs);
            }
            return parts;
        }

    private:
        /// Read as it is needed.
        std::size_t outermostOf(const SliceIndex::Place &place)
        {
            std::optional<std::vector<std::uint32_t>> &known = m_outermost[place.track.value];
            if (!known)
                known = outermostRows(m_trace.slices[place.track.value]);
            return (*known)[place.row];
        }

        NameId nameBefore(std::size_t op)
        {
            const OpId before = m_causes.of(OpId(static_cast<std::uint32_t>(op)));
            if (before == NoOp)
                return {};
            const auto place = m_index.find(m_graph.slice[before.value]);
            return place ? m_trace.slices[place->track.value].name[outermostOf(*place)]
                         : m_graph.name[before.value];
        }

        const Trace &m_trace;
        const Graph &m_graph;
        const SliceIndex m_index;
        const LastCauses m_causes;
        std::vector<std::optional<std::vector<std::uint32_t>>> m_outermost; ///< by TrackId
    };

} // namespace

std::vector<DelayParts> delayParts(const Trace &trace, const Graph &graph)
{
    DelaySplitter splitter(trace, graph);
    std::vector<DelayParts> parts;
    parts.reserve(graph.size());
    for (std::size_t op = 0; op < graph.size(); ++op)
        parts.push_back(splitter.of(op));
    return parts;
}

} // namespace core
