#include "core/change/gradients/tensor_updates.h"

#include "core/change/graph_edits.h"
#include "core/measure/bounded_time.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace core {

namespace {

    constexpr std::string_view BucketCopy = "aten::mul"; ///< into the bucket (reducer.cpp)

    bool isKnown(OpId op)
    {
        return op != NoOp;
    }

} // namespace

DeviceId deviceOf(std::map<WorkerId, DeviceId> &devices, WorkerId worker, const char *name,
                  GraphAdditions &additions)
{
    const auto [it, isNew] = devices.try_emplace(worker);
    if (isNew) {
        Device device;
        device.name = name;
        device.worker = worker;
        it->second = additions.addDevice(device);
    }
    return it->second;
}

TensorUpdates::TensorUpdates(const MeasuredJob &job, const JobControl &control,
                             GraphBuilder &builder)
    : m_job(job)
    , m_slices(job.trace)
    , m_isOnDevice(!job.graph.gradientSteps.front().kernels.empty())
    , m_launchOf(launchesOf(job.graph, control))
{
    m_bytesOfStep.reserve(job.graph.gradientSteps.size());
    for (const GradientStep &step : job.graph.gradientSteps)
        m_bytesOfStep.push_back(static_cast<double>(std::accumulate(
            step.parameterBytes.begin(), step.parameterBytes.end(), std::uint64_t { 0 })));
    takeOptimizersTime(builder);
    if (!m_isOnDevice && job.graph.slowdown > 1)
        findBusyCores();
}

void TensorUpdates::takeOptimizersTime(GraphBuilder &builder)
{
    const Graph &graph = m_job.graph;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        OpSpec &op = builder.op(OpId(i));
        if (op.phase != Phase::Optimizer || op.kind == OpKind::Communication
            || graph.devices[op.device.value].isStream != m_isOnDevice)
            continue;
        // An accelerator may still be at it in the host's next iteration.
        const OpId host = m_launchOf[i] == NoOp ? OpId(i) : m_launchOf[i];
        HostTime &time = m_optimizers[{ op.worker, graph.iteration[host.value] }];
        time.add(static_cast<double>(op.durationNs), op.stretchShare);
        if (!m_isOnDevice)
            time.add(static_cast<double>(op.delayNs), 0);
        op.durationNs = op.delayNs = 0;
    }
}

void TensorUpdates::findBusyCores()
{
    const Graph &graph = m_job.graph;
    std::map<WorkerId, HostTime> layers;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph.phase[i] == Phase::Forward || graph.phase[i] == Phase::Backward)
            layers[graph.worker[i]].add(static_cast<double>(graph.durationNs[i]),
                                        graph.stretchShare[i]);
    for (const auto &[worker, time] : layers)
        if (time.stretchedNs > time.ns / 2)
            m_busyCores.insert(worker);
}

void TensorUpdates::removeCopies(const GradientStep &step, const std::vector<OpId> &next,
                                 GraphBuilder &builder)
{
    if (m_isOnDevice)
        removeDeviceCopies(step, builder);
    else
        removeHostCopies(step, next, builder);
}

/// The kernels that copied out of buckets and, where the gradient's own ops launched it last, the
/// one that copied into them. The host still launches them: what a program without buckets would
/// save there is not known.
void TensorUpdates::removeDeviceCopies(const GradientStep &step, GraphBuilder &builder) const
{
    const auto remove = [&builder](OpId kernel) {
        builder.op(kernel).durationNs = builder.op(kernel).delayNs = 0;
    };
    std::for_each(step.copies.begin(), step.copies.end(), remove);
    for (std::size_t i = 0; i < step.kernels.size(); ++i)
        if (m_launchOf[step.kernels[i].value] == step.gradients[i])
            remove(step.kernels[i]);
}

/// From the first view of a bucket, which waited for it, to the last copy out of it; and the copies
/// into buckets. These average, too, which is left to do.
void TensorUpdates::removeHostCopies(const GradientStep &step, const std::vector<OpId> &next,
                                     GraphBuilder &builder)
{
    for (std::size_t i = 0; i < step.copies.size(); ++i)
        for (OpId op = step.copyStarts[i];; op = next[op.value]) {
            builder.op(op).durationNs = builder.op(op).delayNs = 0;
            if (op == step.copies[i] || next[op.value] == NoOp)
                break;
        }
    for (const OpId gradient : step.gradients) {
        OpSpec &op = builder.op(gradient);
        const std::int64_t copyNs = std::min(op.durationNs, bucketCopyNs(op.slice));
        op.durationNs -= copyNs;
        m_averagingNs[gradient] += static_cast<double>(copyNs);
    }
}

std::int64_t TensorUpdates::bucketCopyNs(SliceId slice) const
{
    const auto place = m_slices.find(slice);
    if (!place)
        return 0;
    const SliceColumns &columns = m_job.trace.slices[place->track.value];
    std::int64_t copyNs = 0;
    for (std::size_t row = place->row + 1;
         row < columns.size() && columns.startNs[row] < columns.endNs(place->row); ++row)
        if (m_job.trace.nameOf(columns.name[row]) == BucketCopy)
            copyNs += columns.durationNs[row];
    return copyNs;
}

OpId TensorUpdates::add(const Step &step, std::size_t parameter, const Step *following,
                        Threads &threads, GraphAdditions &additions) const
{
    const GradientStep &measured = step.measured;
    OpSpec spec;
    spec.name = additions.intern("update");
    spec.device = updateDevice(measured, parameter, threads, additions);
    spec.kind = OpKind::Compute;
    spec.phase = Phase::Optimizer;
    spec.worker = measured.worker;
    spec.iteration
        = m_isOnDevice ? m_job.graph.iteration[measured.kernels.back().value] : measured.iteration;
    spec.measuredStartNs = m_job.graph.measuredStartNs[measured.gradients.back().value];
    setCost(measured, parameter, spec);
    const OpId update = additions.addOp(spec);
    if (following)
        additions.addEdge(update, useOf(*following, parameter), EdgeKind::Data);
    return update;
}

void TensorUpdates::setCost(const GradientStep &step, std::size_t parameter, OpSpec &update) const
{
    const auto index = static_cast<std::size_t>(&step - m_job.graph.gradientSteps.data());
    const double share
        = static_cast<double>(step.parameterBytes[parameter]) / std::max(1.0, m_bytesOfStep[index]);
    const auto optimizer = m_optimizers.find({ step.worker, step.iteration });
    const HostTime ofAll = optimizer == m_optimizers.end() ? HostTime {} : optimizer->second;
    HostTime time { share * ofAll.ns, share * ofAll.stretchedNs };
    if (const auto averaging = m_averagingNs.find(step.gradients[parameter]);
        averaging != m_averagingNs.end())
        time.add(averaging->second, 1);
    update.durationNs = boundedNs(time.ns);
    update.stretchShare = static_cast<float>(time.ns > 0 ? time.stretchedNs / time.ns : 0);
}

/// An accelerator's updates take their turn between its kernels. On cores that computation and the
/// network keep busy they take theirs between the layers' ops.
DeviceId TensorUpdates::updateDevice(const GradientStep &step, std::size_t parameter,
                                     Threads &threads, GraphAdditions &additions) const
{
    if (m_isOnDevice)
        return m_job.graph.device[step.kernels[parameter].value];
    if (m_busyCores.contains(step.worker))
        return m_job.graph.device[step.gradients[parameter].value];
    return deviceOf(threads, step.worker, "updates", additions);
}

/// The next iteration's first use; where it is not known, the first known use of any parameter.
OpId TensorUpdates::useOf(const Step &following, std::size_t parameter) const
{
    const std::vector<OpId> &measured = following.measured.forwards;
    const auto startNs
        = [&](std::size_t p) { return m_job.graph.measuredStartNs[measured[p].value]; };
    if (isKnown(measured[parameter]))
        return following.added.forwards[parameter];
    std::size_t first = parameter;
    for (std::size_t p = 0; p < measured.size(); ++p)
        if (isKnown(measured[p]) && (!isKnown(measured[first]) || startNs(p) < startNs(first)))
            first = p;
    return following.added.forwards[first];
}

} // namespace core
