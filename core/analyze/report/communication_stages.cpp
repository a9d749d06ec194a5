#include "core/analyze/report/communication_stages.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace core {

namespace {

    using TensorsByName = std::map<std::pair<WorkerId, std::string_view>, TensorId>;

    /// The tensor that a row is named by: the longest name that ends with the row's or at a space.
    std::optional<TensorId> tensorOf(const TensorsByName &tensors, const Track &track)
    {
        std::string_view name = track.name;
        for (;;) {
            const auto found = tensors.find({ track.worker, name });
            if (found != tensors.end())
                return found->second;
            const std::size_t space = name.find_last_of(' ');
            if (space == std::string_view::npos)
                return std::nullopt;
            name = name.substr(0, space);
        }
    }

    /// BytePS repeats the tensor's name: "PUSH" of "Comm.gradient_5.PUSH".
    std::string stageName(std::string_view name, std::string_view tensor)
    {
        const std::size_t at = name.find(tensor);
        if (at == std::string_view::npos || at + tensor.size() + 1 >= name.size()
            || name[at + tensor.size()] != '.')
            return std::string(name);
        return std::string(name.substr(at + tensor.size() + 1));
    }

    bool isStage(Category category)
    {
        return category == Category::UserAnnotation || category == Category::CommOp;
    }

    /// Where stages begin or end, and the ends of the range.
    std::vector<std::int64_t> cutsOf(const std::vector<StagePiece> &stages, const TimeRange &range)
    {
        std::vector<std::int64_t> cuts { range.startNs, range.endNs };
        for (const StagePiece &stage : stages) {
            cuts.push_back(std::max(range.startNs, stage.range.startNs));
            cuts.push_back(std::min(range.endNs, stage.range.endNs));
        }
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        return cuts;
    }

    void append(std::vector<StagePiece> &pieces, StagePiece piece)
    {
        const bool continues = !pieces.empty() && pieces.back().stage == piece.stage
            && (piece.stage.empty() || pieces.back().slice == piece.slice);
        if (continues)
            pieces.back().range.endNs = piece.range.endNs;
        else
            pieces.push_back(std::move(piece));
    }

} // namespace

CommunicationStages::CommunicationStages(const Trace &trace)
    : m_trace(trace)
    , m_slices(trace)
    , m_uses(trace.tensorUses)
{
    std::sort(m_uses.begin(), m_uses.end(), [](const TensorUse &a, const TensorUse &b) {
        return std::tie(a.slice, a.tensor) < std::tie(b.slice, b.tensor);
    });
    TensorsByName tensors;
    for (const Tensor &tensor : trace.tensors)
        tensors.emplace(std::make_pair(tensor.worker, std::string_view(tensor.name)), tensor.id);
    for (const Track &track : trace.tracks) {
        if (track.kind != TrackKind::Annotation || tensors.empty())
            continue;
        const auto tensor = tensorOf(tensors, track);
        if (!tensor)
            continue;
        const SliceColumns &slices = trace.slices[track.id.value];
        Row row { track.id, {} };
        row.latestEndNs.reserve(slices.size());
        for (std::size_t i = 0; i < slices.size(); ++i)
            row.latestEndNs.push_back(i == 0 ? slices.endNs(i)
                                             : std::max(row.latestEndNs.back(), slices.endNs(i)));
        m_rows[*tensor].push_back(std::move(row));
    }
}

void CommunicationStages::collect(const Row &row, TensorId tensor, const TimeRange &range,
                                  std::vector<StagePiece> &stages) const
{
    const SliceColumns &slices = m_trace.slices[row.track.value];
    const WorkerId worker = m_trace.tracks[row.track.value].worker;
    const auto aligned = [&](std::int64_t ns) { return m_trace.toAligned(worker, ns); };
    const auto end = std::partition_point(
        slices.startNs.begin(), slices.startNs.end(),
        [&](std::int64_t startNs) { return aligned(startNs) < range.endNs; });
    for (auto i = static_cast<std::size_t>(end - slices.startNs.begin());
         i-- > 0 && aligned(row.latestEndNs[i]) > range.startNs;) {
        const TimeRange stage { aligned(slices.startNs[i]), aligned(slices.endNs(i)) };
        if (stage.endNs <= range.startNs || !isStage(slices.category[i]))
            continue;
        const std::string &name = m_trace.tensors[tensor.value].name;
        stages.push_back({ stage, stageName(m_trace.nameOf(slices.name[i]), name), name, worker,
                           SliceId(slices.first.value + i) });
    }
}

std::vector<TensorUse>::const_iterator CommunicationStages::firstUse(SliceId slice) const
{
    return std::lower_bound(
        m_uses.begin(), m_uses.end(), slice,
        [](const TensorUse &known, SliceId wanted) { return known.slice < wanted; });
}

std::optional<StagePiece> CommunicationStages::wholeOf(SliceId slice, const TimeRange &range) const
{
    const auto use = firstUse(slice);
    const auto place = m_slices.find(slice);
    if (use == m_uses.end() || use->slice != slice || !place)
        return std::nullopt;
    const std::string &tensor = m_trace.tensors[use->tensor.value].name;
    const std::string &name = m_slices.name(slice);
    const std::size_t at = name.find(" " + tensor);
    return StagePiece { range, name.substr(0, at), tensor, m_slices.worker(slice), slice };
}

std::vector<StagePiece> CommunicationStages::stagesOf(std::span<const SliceId> slices,
                                                      const TimeRange &range) const
{
    std::vector<StagePiece> stages;
    for (const SliceId slice : slices) {
        auto use = firstUse(slice);
        for (; use != m_uses.end() && use->slice == slice; ++use) {
            const auto rows = m_rows.find(use->tensor);
            if (rows == m_rows.end())
                continue;
            for (const Row &row : rows->second)
                collect(row, use->tensor, range, stages);
        }
    }
    return stages;
}

std::vector<StagePiece> CommunicationStages::within(std::span<const SliceId> slices,
                                                    const TimeRange &range) const
{
    std::vector<StagePiece> stages = stagesOf(slices, range);
    if (stages.empty())
        return {};
    std::sort(stages.begin(), stages.end(), [](const StagePiece &a, const StagePiece &b) {
        return std::tie(a.range.startNs, b.range.endNs, a.slice)
            < std::tie(b.range.startNs, a.range.endNs, b.slice);
    });
    const std::vector<std::int64_t> cuts = cutsOf(stages, range);
    std::vector<StagePiece> pieces;
    std::set<std::size_t> active; ///< indices of stages; the last began last
    std::size_t next = 0;
    for (std::size_t cut = 0; cut + 1 < cuts.size(); ++cut) {
        for (; next < stages.size() && stages[next].range.startNs <= cuts[cut]; ++next)
            active.insert(next);
        while (!active.empty() && stages[*active.rbegin()].range.endNs <= cuts[cut])
            active.erase(std::prev(active.end()));
        StagePiece piece;
        if (!active.empty())
            piece = stages[*active.rbegin()];
        piece.range = { cuts[cut], cuts[cut + 1] };
        append(pieces, std::move(piece));
    }
    return pieces;
}

} // namespace core
