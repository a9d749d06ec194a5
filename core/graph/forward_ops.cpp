#include "core/graph/forward_ops.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::string_view BackwardNode = "autograd::engine::evaluate_function: ";
    constexpr std::size_t FarthestNode = 64; ///< rows between a backward node and its gradients

} // namespace

ForwardOps::ForwardOps(const GraphContext &context, WorkerId worker)
    : m_context(context)
    , m_worker(worker)
{
    for (const Track *track : context.tracks.of(worker, TrackKind::HostThread)) {
        const SliceColumns &slices = context.trace.slices[track->id.value];
        for (std::size_t row = 0; row < slices.sequence.size(); ++row)
            if (slices.sequence[row] != 0 && slices.phase[row] != Phase::Backward)
                m_forwards.push_back({ slices.sequence[row],
                                       context.trace.toAligned(worker, slices.startNs[row]),
                                       track->id });
    }
    std::sort(m_forwards.begin(), m_forwards.end());
}

std::optional<OpId> ForwardOps::of(const Track &track, std::size_t row) const
{
    const SliceColumns &slices = m_context.trace.slices[track.id.value];
    if (slices.sequence.empty())
        return std::nullopt;
    const std::size_t farthest = row - std::min(row, FarthestNode);
    for (std::size_t node = row; node-- > farthest;)
        if (slices.sequence[node] != 0
            && m_context.trace.nameOf(slices.name[node]).starts_with(BackwardNode))
            return opAt(slices.sequence[node],
                        m_context.trace.toAligned(m_worker, slices.startNs[row]));
    return std::nullopt;
}

std::optional<OpId> ForwardOps::opAt(std::uint64_t sequence, std::int64_t beforeNs) const
{
    const auto next
        = std::partition_point(m_forwards.begin(), m_forwards.end(), [&](const Forward &forward) {
              return forward.sequence < sequence
                  || (forward.sequence == sequence && forward.startNs < beforeNs);
          });
    if (next == m_forwards.begin() || (next - 1)->sequence != sequence)
        return std::nullopt;
    const Forward &last = *(next - 1);
    for (const std::vector<OpId> &thread : m_context.workers[m_worker.value].threads) {
        const Device &device
            = m_context.builder.devices()[m_context.builder.op(thread.front()).device.value];
        if (device.track != last.track)
            continue;
        const auto op = std::partition_point(thread.begin(), thread.end(), [&](OpId candidate) {
            return m_context.measuredEndNs[candidate.value] <= last.startNs;
        });
        if (op != thread.end() && m_context.builder.op(*op).measuredStartNs <= last.startNs)
            return *op;
    }
    return std::nullopt;
}

} // namespace core
