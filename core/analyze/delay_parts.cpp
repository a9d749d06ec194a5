#include "core/analyze/delay_parts.h"

#include "core/analyze/last_causes.h"
#include "core/base/interval_set.h"
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

    /// When input is loaded, as what groups operations says.
    IntervalSet inputTimes(const SliceColumns &slices)
    {
        std::vector<TimeRange> times;
        for (std::size_t row = 0; row < slices.size(); ++row)
            if (slices.phase[row] == Phase::Input && onlyGroups(slices.category[row]))
                times.push_back({ slices.startNs[row], slices.endNs(row) });
        return IntervalSet(std::move(times));
    }

    class DelaySplitter
    {
    public:
        DelaySplitter(const Trace &trace, const Graph &graph)
            : m_trace(trace)
            , m_graph(graph)
            , m_index(trace)
            , m_causes(graph)
            , m_tracks(trace.slices.size())
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
            const std::int64_t endNs = slices.startNs[row];
            parts.isInput = parts.gapNs > 0
                && track(place->track).input.clippedTo({ endNs - parts.gapNs, endNs }).lengthNs()
                    > parts.gapNs / 2;
            return parts;
        }

    private:
        struct Track
        {
            std::vector<std::uint32_t> outermost;
            IntervalSet input;
        };

        /// Read as it is needed.
        const Track &track(TrackId id)
        {
            std::optional<Track> &known = m_tracks[id.value];
            if (!known)
                known = Track { outermostRows(m_trace.slices[id.value]),
                                inputTimes(m_trace.slices[id.value]) };
            return *known;
        }

        std::size_t outermostOf(const SliceIndex::Place &place)
        {
            return track(place.track).outermost[place.row];
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
        std::vector<std::optional<Track>> m_tracks; ///< by TrackId
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
