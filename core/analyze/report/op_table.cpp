#include "core/analyze/report/op_table.h"

#include "core/fit/links/collective_cost.h"
#include "core/model/device_iterations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t PolledRows = 4096;

    using TableKey = std::uint64_t;

    constexpr unsigned KindBits = 3, ShapeBits = 29;

    /// Text of each distinct list of shapes once; 0: none.
    struct ShapeTexts
    {
        explicit ShapeTexts(const OpShapes *shapes)
        {
            if (shapes == nullptr)
                return;
            std::unordered_map<std::string, std::uint32_t> known { { std::string(), 0U } };
            ofDistinct.reserve(shapes->distinct.size());
            for (const Shapes &one : shapes->distinct) {
                std::string text = shapesText(one);
                const auto [at, isNew]
                    = known.try_emplace(text, static_cast<std::uint32_t>(texts.size()));
                ofDistinct.push_back(at->second);
                if (isNew)
                    texts.push_back(std::move(text));
            }
        }

        std::vector<std::string> texts { std::string() };
        std::vector<std::uint32_t> ofDistinct; ///< index into `texts`
    };

    TableKey tableKey(NameId name, OpTableKind kind, std::uint32_t shape)
    {
        return (TableKey { name.value } << (KindBits + ShapeBits))
            | (TableKey { shape } << KindBits) | static_cast<TableKey>(kind);
    }

    struct Gathered
    {
        std::vector<std::int64_t> durationsNs;
        std::int64_t ownNs = 0;
        std::int64_t longestNs = -1;
        SliceId longest = NoSlice;
        std::vector<double> busGBs, algorithmGBs; ///< of each collective
        std::unordered_set<int> ranks;
    };

    /// nccl-tests' factor between bus and algorithm bandwidth.
    double busFactor(std::string_view kind, double ranks)
    {
        if (kind == "all_reduce")
            return 2 * (ranks - 1) / ranks;
        if (kind == "all_gather" || kind == "reduce_scatter" || kind == "all_to_all")
            return (ranks - 1) / ranks;
        return 1;
    }

    struct Bandwidth
    {
        double busGBs, algorithmGBs;
    };

    /// The ranks' transfers in collectives, by slice.
    std::unordered_map<SliceId, Bandwidth>
    bandwidths(const Trace &trace, const std::vector<CollectiveReport> &collectives)
    {
        std::unordered_map<SliceId, std::string_view> kinds;
        kinds.reserve(trace.collectives.size());
        for (const CollectiveCall &call : trace.collectives)
            kinds.emplace(call.slice, call.kind);
        std::unordered_map<SliceId, Bandwidth> found;
        for (const CollectiveReport &collective : collectives) {
            const auto ranks = static_cast<double>(collective.ranks.size());
            if (collective.bytes == 0 || ranks < 2)
                continue;
            for (const CollectiveRankReport &part : collective.ranks) {
                const auto kind = kinds.find(part.slice);
                if (kind == kinds.end() || part.transferNs <= 0)
                    continue;
                const double bus = transferShape(CollectiveAlgorithm::Ring, kind->second,
                                                 static_cast<double>(collective.bytes), ranks)
                                       .bytes
                    / static_cast<double>(part.transferNs);
                found[part.slice] = { bus, bus / busFactor(kind->second, ranks) };
            }
        }
        return found;
    }

    template <class Value>
    Value quantile(std::vector<Value> &values, double share)
    {
        const auto at = static_cast<std::ptrdiff_t>(
            std::lround(share * static_cast<double>(values.size() - 1)));
        std::nth_element(values.begin(), values.begin() + at, values.end());
        return values[static_cast<std::size_t>(at)];
    }

    class TableGatherer
    {
    public:
        TableGatherer(const Trace &trace, const std::vector<CollectiveReport> &collectives,
                      const OpTableFilter &filter, const OpShapes *shapes)
            : m_trace(trace)
            , m_filter(filter)
            , m_shapes(shapes)
            , m_shapeTexts(shapes)
            , m_bandwidths(bandwidths(trace, collectives))
        {
            if (filter.iteration)
                findRanges();
        }

        void add(std::size_t track, const JobControl &control)
        {
            const Worker &worker = m_trace.workers[m_trace.tracks[track].worker.value];
            if (m_filter.rank && worker.rank != *m_filter.rank)
                return;
            const bool isStream = m_trace.tracks[track].kind == TrackKind::Stream;
            const std::vector<TimeRange> *ranges = nullptr;
            if (m_filter.iteration) {
                const auto own = (isStream ? m_onDevice : m_onHost).find(worker.id);
                if (own == (isStream ? m_onDevice : m_onHost).end())
                    return;
                ranges = &own->second;
            }
            const SliceColumns &slices = m_trace.slices[track];
            m_open.clear();
            m_shapeRows = m_shapes != nullptr && track < m_shapes->ofRow.size()
                ? &m_shapes->ofRow[track]
                : nullptr;
            for (std::size_t row = 0; row < slices.size(); ++row) {
                if (row % PolledRows == 0)
                    throwIfCancelled(control);
                addRow(slices, row, ranges, worker.rank);
            }
        }

        std::vector<OpTableRow> rows()
        {
            std::array<double, OpTableKinds> sums {};
            for (const auto &[key, gathered] : m_gathered)
                sums[key & 7U] += static_cast<double>(gathered.ownNs);
            std::vector<OpTableRow> rows;
            rows.reserve(m_gathered.size());
            for (auto &[key, gathered] : m_gathered)
                rows.push_back(rowOf(key, gathered, sums[key & 7U]));
            std::sort(rows.begin(), rows.end(), [](const OpTableRow &a, const OpTableRow &b) {
                return std::tie(b.ownNs, a.name, a.kind, a.shapes)
                    < std::tie(a.ownNs, b.name, b.kind, b.shapes);
            });
            return rows;
        }

    private:
        struct Open
        {
            std::int64_t endNs;
            Gathered *counted; ///< null: it does not count
        };

        void findRanges()
        {
            const std::vector<TimeRange> onDevice = deviceIterationRanges(m_trace);
            for (std::size_t i = 0; i < m_trace.iterations.size(); ++i) {
                const Iteration &iteration = m_trace.iterations[i];
                if (iteration.index != *m_filter.iteration)
                    continue;
                m_onHost[iteration.worker].push_back(iteration.range);
                m_onDevice[iteration.worker].push_back(onDevice[i]);
            }
        }

        void addRow(const SliceColumns &slices, std::size_t row,
                    const std::vector<TimeRange> *ranges, int rank)
        {
            const std::int64_t startNs = slices.startNs[row], endNs = slices.endNs(row),
                               ns = slices.durationNs[row];
            while (!m_open.empty() && m_open.back().endNs <= startNs)
                m_open.pop_back();
            if (!m_open.empty() && endNs <= m_open.back().endNs && m_open.back().counted)
                m_open.back().counted->ownNs -= ns;
            const bool counts = ranges == nullptr
                || std::any_of(ranges->begin(), ranges->end(), [startNs](const TimeRange &range) {
                                    return range.startNs <= startNs && startNs < range.endNs;
                                });
            Gathered *gathered = nullptr;
            if (counts) {
                gathered = &m_gathered[tableKey(slices.name[row],
                                                opTableKindOf(slices.category[row]), shapeOf(row))];
                gathered->durationsNs.push_back(ns);
                gathered->ownNs += ns;
                gathered->ranks.insert(rank);
                const SliceId slice { slices.first.value + row };
                if (ns > gathered->longestNs) {
                    gathered->longestNs = ns;
                    gathered->longest = slice;
                }
                if (const auto found = m_bandwidths.find(slice); found != m_bandwidths.end()) {
                    gathered->busGBs.push_back(found->second.busGBs);
                    gathered->algorithmGBs.push_back(found->second.algorithmGBs);
                }
            }
            m_open.push_back({ endNs, gathered });
        }

        /// Index into m_shapeTexts.texts.
        std::uint32_t shapeOf(std::size_t row) const
        {
            return m_shapeRows == nullptr || m_shapeRows->empty()
                ? 0
                : m_shapeTexts.ofDistinct[(*m_shapeRows)[row]];
        }

        OpTableRow rowOf(TableKey key, Gathered &gathered, double kindNs) const
        {
            OpTableRow row;
            row.name
                = m_trace.nameOf(NameId(static_cast<std::uint32_t>(key >> (KindBits + ShapeBits))));
            row.shapes
                = m_shapeTexts.texts[(key >> KindBits) & ((TableKey { 1 } << ShapeBits) - 1)];
            row.kind = static_cast<OpTableKind>(key & 7U);
            row.count = gathered.durationsNs.size();
            row.ranks = gathered.ranks.size();
            row.ownNs = gathered.ownNs;
            row.share = kindNs > 0 ? static_cast<double>(gathered.ownNs) / kindNs : 0;
            row.medianNs = quantile(gathered.durationsNs, 0.5);
            row.p95Ns = quantile(gathered.durationsNs, 0.95);
            row.longestNs = gathered.longestNs;
            row.longest = gathered.longest;
            if (!gathered.busGBs.empty()) {
                row.busGBs = quantile(gathered.busGBs, 0.5);
                row.algorithmGBs = quantile(gathered.algorithmGBs, 0.5);
            }
            return row;
        }

        const Trace &m_trace;
        OpTableFilter m_filter;
        const OpShapes *m_shapes; ///< may be null
        ShapeTexts m_shapeTexts;
        const std::vector<std::uint32_t> *m_shapeRows = nullptr; ///< of the track
        std::unordered_map<SliceId, Bandwidth> m_bandwidths;
        std::unordered_map<WorkerId, std::vector<TimeRange>> m_onHost, m_onDevice;
        std::unordered_map<TableKey, Gathered> m_gathered; ///< stays where it is while others come
        std::vector<Open> m_open; ///< of the track, the innermost last
    };

} // namespace

std::string shapesText(const Shapes &shapes)
{
    std::size_t count = shapes.size();
    while (count > 0 && shapes[count - 1].empty())
        --count;
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += i == 0 ? "[" : ", [";
        for (std::size_t d = 0; d < shapes[i].size(); ++d) {
            text += d == 0 ? "" : ", ";
            text += std::to_string(shapes[i][d]);
        }
        text += "]";
    }
    return text;
}

std::vector<OpTableRow> opTable(const Trace &trace,
                                const std::vector<CollectiveReport> &collectives,
                                const OpTableFilter &filter, const JobControl &control,
                                const OpShapes *shapes)
{
    TableGatherer gatherer(trace, collectives, filter, shapes);
    for (std::size_t track = 0; track < trace.tracks.size(); ++track) {
        control.report(static_cast<double>(track) / static_cast<double>(trace.tracks.size()),
                       "operations");
        gatherer.add(track, control);
    }
    return gatherer.rows();
}

} // namespace core
