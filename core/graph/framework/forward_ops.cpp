#include "core/graph/framework/forward_ops.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::string_view BackwardNode = "autograd::engine::evaluate_function: ";
    constexpr std::size_t FarthestNode = 64; ///< rows between a backward node and its gradients

} // namespace

ForwardOps::ForwardOps(const GraphContext &context, WorkerId worker, const DeviceLaunches *launches)
    : m_context(context)
    , m_worker(worker)
    , m_launches(launches)
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
            && m_context.trace.nameOf(slices.name[node]).starts_with(BackwardNode)) {
            const Forward *forward = forwardAt(
                slices.sequence[node], m_context.trace.toAligned(m_worker, slices.startNs[row]));
            if (!forward)
                return std::nullopt;
            return m_launches ? m_launches->firstKernelFrom(m_worker, forward->startNs)
                              : hostOpAt(*forward);
        }
    return std::nullopt;
}

const ForwardOps::Forward *ForwardOps::forwardAt(std::uint64_t sequence,
                                                 std::int64_t beforeNs) const
{
    const auto next
        = std::partition_point(m_forwards.begin(), m_forwards.end(), [&](const Forward &forward) {
              return forward.sequence < sequence
                  || (forward.sequence == sequence && forward.startNs < beforeNs);
          });
    return next == m_forwards.begin() || (next - 1)->sequence != sequence ? nullptr : &*(next - 1);
}

std::optional<OpId> ForwardOps::hostOpAt(const Forward &forward) const
{
    for (const std::vector<OpId> &thread : m_context.workers[m_worker.value].threads) {
        const Device &device
            = m_context.builder.devices()[m_context.builder.op(thread.front()).device.value];
        if (device.track != forward.track)
            continue;
        const auto op = std::partition_point(thread.begin(), thread.end(), [&](OpId candidate) {
            return m_context.measuredEndNs[candidate.value] <= forward.startNs;
        });
        if (op != thread.end() && m_context.builder.op(*op).measuredStartNs <= forward.startNs)
            return *op;
    }
    return std::nullopt;
}

} // namespace core
