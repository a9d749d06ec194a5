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
                  GraphBuilder &builder)
{
    const auto [it, isNew] = devices.try_emplace(worker);
    if (isNew) {
        Device device;
        device.name = name;
        device.worker = worker;
        it->second = builder.addDevice(device);
    }
    return it->second;
}

TensorUpdates::TensorUpdates(const PlannedJob &job, const std::vector<OpId> &next,
                             GraphBuilder &builder)
    : m_job(job)
    , m_next(next)
    , m_builder(builder)
    , m_slices(job.trace)
    , m_isOnDevice(!job.graph.gradientSteps.front().kernels.empty())
    , m_launchOf(launchesOf(job.graph, job.control))
{
    m_bytesOfStep.reserve(job.graph.gradientSteps.size());
    for (const GradientStep &step : job.graph.gradientSteps)
        m_bytesOfStep.push_back(static_cast<double>(std::accumulate(
            step.parameterBytes.begin(), step.parameterBytes.end(), std::uint64_t { 0 })));
    takeOptimizersTime();
    if (!m_isOnDevice && job.graph.slowdown > 1)
        findBusyCores();
}

void TensorUpdates::takeOptimizersTime()
{
    const Graph &graph = m_job.graph;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        OpSpec &op = m_builder.op(OpId(i));
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

void TensorUpdates::removeCopies(const GradientStep &step)
{
    if (m_isOnDevice)
        removeDeviceCopies(step);
    else
        removeHostCopies(step);
}

/// The kernels that copied out of buckets and, where the gradient's own ops launched it last, the
/// one that copied into them. The host still launches them: what a program without buckets would
/// save there is not known.
void TensorUpdates::removeDeviceCopies(const GradientStep &step)
{
    const auto remove = [this](OpId kernel) {
        m_builder.op(kernel).durationNs = m_builder.op(kernel).delayNs = 0;
    };
    std::for_each(step.copies.begin(), step.copies.end(), remove);
    for (std::size_t i = 0; i < step.kernels.size(); ++i)
        if (m_launchOf[step.kernels[i].value] == step.gradients[i])
            remove(step.kernels[i]);
}

/// From the first view of a bucket, which waited for it, to the last copy out of it; and the copies
/// into buckets. These average, too, which is left to do.
void TensorUpdates::removeHostCopies(const GradientStep &step)
{
    for (std::size_t i = 0; i < step.copies.size(); ++i)
        for (OpId op = step.copyStarts[i];; op = m_next[op.value]) {
            m_builder.op(op).durationNs = m_builder.op(op).delayNs = 0;
            if (op == step.copies[i] || m_next[op.value] == NoOp)
                break;
        }
    for (const OpId gradient : step.gradients) {
        OpSpec &op = m_builder.op(gradient);
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

void TensorUpdates::add(const GradientStep &step, std::size_t parameter,
                        const std::vector<OpId> &transfers, const GradientStep *following)
{
    OpSpec spec;
    spec.name = m_builder.intern("update");
    spec.device = updateDevice(step, parameter);
    spec.kind = OpKind::Compute;
    spec.phase = Phase::Optimizer;
    spec.worker = step.worker;
    spec.iteration
        = m_isOnDevice ? m_job.graph.iteration[step.kernels.back().value] : step.iteration;
    spec.measuredStartNs = m_builder.op(step.gradients.back()).measuredStartNs;
    setCost(step, parameter, spec);
    const OpId update = m_builder.addOp(spec);
    for (const OpId transfer : transfers)
        m_builder.addEdge(transfer, update, EdgeKind::Data);
    if (following)
        addUse(update, *following, parameter);
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
DeviceId TensorUpdates::updateDevice(const GradientStep &step, std::size_t parameter)
{
    if (m_isOnDevice)
        return m_job.graph.device[step.kernels[parameter].value];
    if (m_busyCores.contains(step.worker))
        return m_job.graph.device[step.gradients[parameter].value];
    return deviceOf(m_devices, step.worker, "updates", m_builder);
}

/// The next iteration's first use; where it is not known, the first known use of any parameter.
void TensorUpdates::addUse(OpId update, const GradientStep &following, std::size_t parameter)
{
    const auto startNs = [this](OpId op) { return m_job.graph.measuredStartNs[op.value]; };
    OpId use = following.forwards[parameter];
    if (!isKnown(use))
        for (const OpId forward : following.forwards)
            if (isKnown(forward) && (!isKnown(use) || startNs(forward) < startNs(use)))
                use = forward;
    m_builder.addEdge(update, use, EdgeKind::Data);
}

} // namespace core
