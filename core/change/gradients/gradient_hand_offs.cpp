#include "core/change/gradients/gradient_hand_offs.h"

#include "core/base/median_ns.h"
#include "core/fit/links/hand_over.h"
#include "core/measure/bounded_time.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace core {

namespace {

    class MeanDuration
    {
    public:
        void add(std::int64_t ns)
        {
            m_sumNs += static_cast<double>(ns);
            ++m_count;
        }
        std::int64_t ns() const { return boundedNs(m_sumNs / m_count); }

    private:
        double m_sumNs = 0, m_count = 0;
    };

    /// From the start of the call that handed the collective over until it had launched its kernel;
    /// empty where nothing is launched, or not in such a call.
    std::optional<std::int64_t> launchOffsetNs(const Graph &graph, const Trace &trace,
                                               const SliceIndex &slices, OpId ready)
    {
        constexpr std::size_t MostRows = 64; // of a call, before the launch
        const auto preds = graph.predecessors(ready);
        const auto launch = std::find_if(preds.begin(), preds.end(), [](const Edge &edge) {
            return edge.kind == EdgeKind::Launch;
        });
        if (launch == preds.end())
            return std::nullopt;
        const auto place = slices.find(graph.slice[launch->op.value]);
        if (!place)
            return std::nullopt;
        const SliceColumns &columns = trace.slices[place->track.value];
        const std::int64_t launchedNs = columns.endNs(place->row);
        for (std::size_t row = place->row, left = MostRows; left > 0; --row, --left) {
            if (trace.nameOf(columns.name[row]) == AllReduceCall
                && columns.endNs(row) >= launchedNs)
                return launchedNs - columns.startNs[row];
            if (row == 0)
                break;
        }
        return std::nullopt;
    }

} // namespace

const CollectiveNode::Part &partOf(const CollectiveNode &node, WorkerId worker)
{
    // Mostly all ranks take part, in their order.
    if (worker.value < node.parts.size() && node.parts[worker.value].worker == worker)
        return node.parts[worker.value];
    return *std::find_if(
        node.parts.begin(), node.parts.end(),
        [worker](const CollectiveNode::Part &part) { return part.worker == worker; });
}

GradientHandOffs::GradientHandOffs(const MeasuredJob &job, const StepsByIteration &steps,
                                   const JobControl &control)
    : m_calls(job.trace.workers.size())
{
    findDurations(job, control);
    if (!job.graph.gradientSteps.front().kernels.empty())
        findLaunches(job, steps, control);
}

void GradientHandOffs::findDurations(const MeasuredJob &job, const JobControl &control)
{
    for (const auto &[worker, calls] : allReduceCalls(job.trace, control)) {
        MeanDuration mean;
        for (const TimeRange &call : calls)
            mean.add(call.durationNs());
        m_calls[worker.value].durationNs = mean.ns();
    }
}

/// When on the way the calls launched the measured all-reduces, and how soon these began.
void GradientHandOffs::findLaunches(const MeasuredJob &job, const StepsByIteration &steps,
                                    const JobControl &control)
{
    const SliceIndex slices(job.trace);
    std::map<WorkerId, MeanDuration> launches;
    std::map<WorkerId, std::vector<std::int64_t>> delays;
    for (const auto &[iteration, ranks] : steps)
        for (const GradientStep *step : ranks)
            for (const GradientStep::Bucket &bucket : step->buckets) {
                throwIfCancelled(control);
                const OpId ready
                    = partOf(job.graph.collectives[bucket.collective], step->worker).ready;
                if (const auto ns = launchOffsetNs(job.graph, job.trace, slices, ready)) {
                    launches[step->worker].add(*ns);
                    delays[step->worker].push_back(job.graph.delayNs[ready.value]);
                }
            }
    for (const auto &[worker, mean] : launches) {
        Call &call = m_calls[worker.value];
        call.launchNs = std::min(mean.ns(), call.durationNs);
        call.delayNs = medianNs(delays[worker]);
    }
}

GradientHandOffs::Call GradientHandOffs::callOf(WorkerId worker) const
{
    return worker.value < m_calls.size() ? m_calls[worker.value] : Call {};
}

/// The call is in the gradient's op; on accelerators its own ops are behind that.
void GradientHandOffs::drop(const GradientStep &step, const GradientStep::Bucket &bucket,
                            const std::vector<OpId> &next, GraphBuilder &builder) const
{
    const OpId gradient = step.gradients[bucket.firstParameter + bucket.parameterCount - 1];
    std::int64_t leftNs = callOf(step.worker).durationNs;
    const auto take = [&leftNs](std::int64_t &ns) {
        const std::int64_t takenNs = std::min(ns, leftNs);
        ns -= takenNs;
        leftNs -= takenNs;
    };
    if (step.kernels.empty()) {
        take(builder.op(gradient).durationNs);
        return;
    }
    for (OpId op = next[gradient.value]; op != NoOp && leftNs > 0; op = next[op.value]) {
        take(builder.op(op).delayNs);
        take(builder.op(op).durationNs);
    }
}

void GradientHandOffs::add(const GradientStep &step, std::size_t parameter, OpId ready,
                           GraphAdditions &additions) const
{
    const OpId gradient = step.gradients[parameter];
    const Call call = callOf(step.worker);
    OpSpec spec = specOf(additions.graph(), gradient);
    spec.name = additions.intern(AllReduceCall);
    spec.kind = OpKind::Host;
    spec.slice = NoSlice;
    spec.measuredStartNs += spec.durationNs;
    spec.delayNs = 0;
    const auto addHostOp = [&](std::int64_t durationNs, OpId after) {
        spec.durationNs = durationNs;
        const OpId op = additions.addOp(spec);
        additions.addEdge(after, op, EdgeKind::HostOrder);
        return op;
    };
    OpId last = gradient;
    if (!step.kernels.empty()) {
        last = addHostOp(call.launchNs, last);
        additions.addEdge(last, ready, EdgeKind::Launch);
        spec.measuredStartNs += call.launchNs;
    }
    last = addHostOp(call.durationNs - call.launchNs, last);
    for (const OpId next : successorsOf(gradient))
        additions.addEdge(last, next, EdgeKind::HostOrder);
}

std::span<const OpId> GradientHandOffs::successorsOf(OpId gradient) const
{
    return { m_successors.data() + m_offset[gradient.value],
             m_successors.data() + m_offset[gradient.value + 1] };
}

void GradientHandOffs::findSuccessors(const Graph &graph)
{
    std::vector<char> isGradient(graph.size(), 0);
    for (const GradientStep &step : graph.gradientSteps)
        for (const OpId gradient : step.gradients)
            isGradient[gradient.value] = 1;
    const auto forEach = [&](const auto &function) {
        for (std::uint32_t op = 0; op < graph.size(); ++op)
            for (const Edge &edge : graph.predecessors(OpId(op)))
                if (edge.kind == EdgeKind::HostOrder && isGradient[edge.op.value] != 0)
                    function(edge.op, OpId(op));
    };
    m_offset.assign(graph.size() + 1, 0);
    forEach([&](OpId from, OpId) { ++m_offset[from.value + 1]; });
    std::partial_sum(m_offset.begin(), m_offset.end(), m_offset.begin());
    m_successors.assign(m_offset.back(), NoOp);
    std::vector<std::uint32_t> next(m_offset.begin(), m_offset.end() - 1);
    forEach([&](OpId from, OpId to) { m_successors[next[from.value]++] = to; });
}

} // namespace core
