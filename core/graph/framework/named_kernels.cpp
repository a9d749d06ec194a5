#include "core/graph/framework/named_kernels.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>

namespace core {

namespace {

    bool hasRuntimeCalls(const GraphContext &context, WorkerId worker)
    {
        for (const Track *track : context.tracks.of(worker, TrackKind::HostThread)) {
            const std::vector<Category> &categories
                = context.trace.slices[track->id.value].category;
            if (std::find(categories.begin(), categories.end(), Category::Runtime)
                != categories.end())
                return true;
        }
        return false;
    }

    /// Names of the framework's operators on the worker's threads.
    std::unordered_set<NameId> operatorsOf(const GraphContext &context, WorkerId worker)
    {
        std::unordered_set<NameId> names;
        for (const Track *track : context.tracks.of(worker, TrackKind::HostThread)) {
            const SliceColumns &slices = context.trace.slices[track->id.value];
            for (std::size_t row = 0; row < slices.size(); ++row)
                if (slices.category[row] == Category::CpuOp)
                    names.insert(slices.name[row]);
        }
        return names;
    }

    std::vector<TimeRange> united(std::vector<TimeRange> ranges)
    {
        std::sort(ranges.begin(), ranges.end(),
                  [](const TimeRange &a, const TimeRange &b) { return a.startNs < b.startNs; });
        std::vector<TimeRange> apart;
        for (const TimeRange &range : ranges)
            if (!apart.empty() && range.startNs <= apart.back().endNs)
                apart.back().endNs = std::max(apart.back().endNs, range.endNs);
            else
                apart.push_back(range);
        return apart;
    }

    /// Ops of one name, sorted by their ends.
    struct EndedKernel
    {
        std::int64_t endNs;
        OpId op;
    };
    using EndedOps = std::map<NameId, std::vector<EndedKernel>>;

    EndedOps byEnd(const GraphContext &context, const std::vector<std::vector<OpId>> &lanes)
    {
        EndedOps ops;
        for (const std::vector<OpId> &lane : lanes)
            for (const OpId op : lane)
                ops[context.builder.op(op).name].push_back({ context.measuredEndNs[op.value], op });
        for (auto &[name, ended] : ops)
            std::sort(ended.begin(), ended.end(), [](const EndedKernel &a, const EndedKernel &b) {
                return std::tie(a.endNs, a.op) < std::tie(b.endNs, b.op);
            });
        return ops;
    }

    /// The op of a name that ended last by `ns`.
    std::optional<EndedKernel> lastEndedBy(const EndedOps &ops, NameId name, std::int64_t ns)
    {
        const auto ofName = ops.find(name);
        if (ofName == ops.end())
            return std::nullopt;
        const auto next
            = std::partition_point(ofName->second.begin(), ofName->second.end(),
                                   [ns](const EndedKernel &ended) { return ended.endNs <= ns; });
        return next == ofName->second.begin() ? std::nullopt : std::optional(*(next - 1));
    }

    void addLaunches(GraphContext &context, const std::vector<std::vector<OpId>> &streams,
                     const EndedOps &hostOps)
    {
        for (const std::vector<OpId> &stream : streams)
            for (const OpId kernel : stream) {
                const OpSpec &spec = context.builder.op(kernel);
                if (const auto launch = lastEndedBy(hostOps, spec.name, spec.measuredStartNs))
                    context.builder.addEdge(launch->op, kernel, EdgeKind::Launch);
            }
    }

    /// A later part of an operator begins when the kernels before it are done.
    void addWaits(GraphContext &context, const std::vector<OpId> &thread, const EndedOps &kernels)
    {
        for (std::size_t i = 1; i < thread.size(); ++i) {
            const OpSpec &part = context.builder.op(thread[i]);
            if (part.slice != context.builder.op(thread[i - 1]).slice)
                continue;
            const auto kernel = lastEndedBy(kernels, part.name, part.measuredStartNs);
            if (kernel && kernel->endNs > context.measuredEndNs[thread[i - 1].value])
                context.builder.addEdge(context.completion(kernel->op), thread[i], EdgeKind::Sync);
        }
    }

} // namespace

NamedKernels::NamedKernels(const GraphContext &context, WorkerId worker)
{
    const Trace &trace = context.trace;
    const std::vector<const Track *> streams = context.tracks.of(worker, TrackKind::Stream);
    if (streams.empty() || hasRuntimeCalls(context, worker))
        return;
    const std::unordered_set<NameId> operators = operatorsOf(context, worker);
    for (const Track *track : streams) {
        const SliceColumns &slices = trace.slices[track->id.value];
        for (std::size_t row = 0; row < slices.size(); ++row)
            if (isDeviceActivity(slices.category[row]) && operators.contains(slices.name[row]))
                m_busy[slices.name[row]].push_back({ trace.toAligned(worker, slices.startNs[row]),
                                                     trace.toAligned(worker, slices.endNs(row)) });
    }
    for (auto &[name, ranges] : m_busy)
        ranges = united(std::move(ranges));
}

const std::vector<TimeRange> &NamedKernels::busyTimes(NameId name) const
{
    static const std::vector<TimeRange> never;
    const auto found = m_busy.find(name);
    return found == m_busy.end() ? never : found->second;
}

void addNamedLaunches(GraphContext &context, WorkerId worker)
{
    const GraphContext::WorkerOps &ops = context.workers[worker.value];
    if (ops.streams.empty() || ops.threads.empty() || hasRuntimeCalls(context, worker))
        return;
    addLaunches(context, ops.streams, byEnd(context, ops.threads));
    const EndedOps kernels = byEnd(context, ops.streams);
    for (const std::vector<OpId> &thread : ops.threads)
        addWaits(context, thread, kernels);
}

} // namespace core
