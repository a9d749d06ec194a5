#include "core/graph/build/device_launches.h"

#include "core/base/sort_runs.h"

#include <algorithm>
#include <tuple>

namespace core {

DeviceLaunches::DeviceLaunches(const GraphContext &context)
    : m_ofWorker(context.workers.size())
    , m_kernels(context.workers.size())
    , m_ofStream(context.builder.devices().size())
    , m_builder(&context.builder)
    , m_launchedNs(context.builder.size())
{
    for (const GraphBuilder::EdgeSpec &edge : context.builder.edges()) {
        if (edge.kind != EdgeKind::Launch)
            continue;
        const auto early = context.earlyCalls.find(edge.to.value);
        const OpId call = early == context.earlyCalls.end() ? edge.from : early->second;
        m_ofWorker[context.builder.op(edge.to).worker.value].push_back(
            { context.builder.op(call).measuredStartNs, edge.to });
    }
    for (std::vector<Launch> &launches : m_ofWorker) {
        // Of one call (a graph's) in the order in which they ran.
        sortRuns(launches, [](const Launch &a, const Launch &b) {
            return std::tie(a.ns, a.op) < std::tie(b.ns, b.op);
        });
        for (const Launch &launch : launches) {
            const OpSpec &op = context.builder.op(launch.op);
            m_ofStream[op.device.value].push_back(launch);
            if (!m_launchedNs[launch.op.value]) // the first of several
                m_launchedNs[launch.op.value] = launch.ns;
            if (op.kind == OpKind::Compute)
                m_kernels[op.worker.value].push_back(launch);
        }
    }
}

std::vector<DeviceLaunches::Launch>::const_iterator
DeviceLaunches::firstIn(const std::vector<Launch> &launches, std::int64_t fromNs)
{
    return std::partition_point(launches.begin(), launches.end(),
                                [fromNs](const Launch &launch) { return launch.ns < fromNs; });
}

std::optional<std::int64_t> DeviceLaunches::launchedNs(OpId op) const
{
    return op.value < m_launchedNs.size() ? m_launchedNs[op.value] : std::nullopt;
}

std::optional<OpId> DeviceLaunches::firstIn(WorkerId worker, const TimeRange &range) const
{
    const std::vector<Launch> &launches = m_ofWorker[worker.value];
    const auto first = firstIn(launches, range.startNs);
    if (first == launches.end() || !range.contains(first->ns))
        return std::nullopt;
    return first->op;
}

std::optional<OpId> DeviceLaunches::firstKernelFrom(WorkerId worker, std::int64_t ns) const
{
    const std::vector<Launch> &kernels = m_kernels[worker.value];
    const auto first = firstIn(kernels, ns);
    return first == kernels.end() ? std::nullopt : std::optional(first->op);
}

std::optional<DeviceId> DeviceLaunches::streamOfKernelBefore(WorkerId worker, std::int64_t ns) const
{
    const std::vector<Launch> &kernels = m_kernels[worker.value];
    const auto next = firstIn(kernels, ns);
    if (next == kernels.begin())
        return std::nullopt;
    return m_builder->op((next - 1)->op).device;
}

std::optional<OpId> DeviceLaunches::firstFrom(DeviceId stream, std::int64_t ns) const
{
    const std::vector<Launch> &launches = m_ofStream[stream.value];
    const auto first = firstIn(launches, ns);
    return first == launches.end() ? std::nullopt : std::optional(first->op);
}

std::optional<OpId> DeviceLaunches::lastBefore(DeviceId stream, std::int64_t ns) const
{
    const std::vector<Launch> &launches = m_ofStream[stream.value];
    const auto next = firstIn(launches, ns);
    return next == launches.begin() ? std::nullopt : std::optional((next - 1)->op);
}

} // namespace core
