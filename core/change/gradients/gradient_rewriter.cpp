#include "core/change/gradients/gradient_rewriter.h"

#include "core/base/median_ns.h"
#include "core/change/infeasible.h"
#include "core/fit/links/hand_over.h"
#include "core/fit/links/nccl_choices.h"
#include "core/fit/links/unseen_waits.h"
#include "core/measure/bounded_time.h"
#include "core/measure/exact_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace core {

namespace {

    constexpr double LargestBytes = 9e18; ///< a damaged trace may state more than 64 bits hold

    /// Of durations.
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

double sentShare(const Graph &graph, const WholeIterations &iterations)
{
    double gradients = 0, sent = 0;
    for (const GradientStep &step : graph.gradientSteps) {
        if (!iterations.contains(step.iteration))
            continue;
        for (const std::uint64_t bytes : step.parameterBytes)
            gradients += static_cast<double>(bytes);
        for (const GradientStep::Bucket &bucket : step.buckets)
            sent += static_cast<double>(graph.collectives[bucket.collective].bytes);
    }
    return gradients > 0 && sent > 0 ? sent / gradients : 1;
}

GradientRewriter::GradientRewriter(const Graph &graph, const Trace &trace, const LinkModels &links,
                                   const JobControl &control, const GraphRoom &more)
    : m_graph(graph)
    , m_trace(trace)
    , m_links(links)
    , m_control(control)
    , m_builder(graph, more, control)
    , m_parts(graph.gradientSteps.size(), nullptr)
{
    const WholeIterations iterations = wholeIterations(graph);
    for (const GradientStep &step : graph.gradientSteps)
        if (iterations.contains(step.iteration))
            m_steps[step.iteration].push_back(&step);
    keepOthers(iterations);
    m_sentShare = sentShare(graph, iterations);
    if (m_sentShare != 1)
        m_builder.addNote(
            "Of gradients' bytes all-reduces carry "
            + exactText(std::round(1000 * m_sentShare) / 10) + " %"
            + (m_sentShare < 1 ? " (as where a communication hook compresses them)" : "")
            + ": others are taken to carry as much.");
    findHandOffs();
    if (!graph.gradientSteps.front().kernels.empty())
        findLaunches();
}

void GradientRewriter::keepOthers(const WholeIterations &iterations)
{
    m_builder.keepIterations(iterations.unfit);
    if (!iterations.unfit.empty())
        m_builder.addNote(leftOutText(iterations, m_graph, m_trace));
}

void GradientRewriter::findHandOffs()
{
    m_handOffs.resize(m_trace.workers.size());
    for (const auto &[worker, calls] : allReduceCalls(m_trace, m_control)) {
        MeanDuration mean;
        for (const TimeRange &call : calls)
            mean.add(call.durationNs());
        m_handOffs[worker.value].durationNs = mean.ns();
    }
}

/// When on the way the calls launched the measured all-reduces, and how soon these began.
void GradientRewriter::findLaunches()
{
    m_nextOnThread = nextOnThread(m_graph, m_control);
    const SliceIndex slices(m_trace);
    std::map<WorkerId, MeanDuration> launches;
    std::map<WorkerId, std::vector<std::int64_t>> delays;
    for (const auto &[iteration, ranks] : m_steps)
        for (const GradientStep *step : ranks)
            for (const GradientStep::Bucket &bucket : step->buckets) {
                throwIfCancelled(m_control);
                const OpId ready = partIn(bucket.collective, step->worker).ready;
                if (const auto ns = launchOffsetNs(m_graph, m_trace, slices, ready)) {
                    launches[step->worker].add(*ns);
                    delays[step->worker].push_back(m_graph.delayNs[ready.value]);
                }
            }
    for (const auto &[worker, mean] : launches) {
        HandOff &handOff = m_handOffs[worker.value];
        handOff.launchNs = std::min(mean.ns(), handOff.durationNs);
        handOff.delayNs = medianNs(delays[worker]);
    }
}

void GradientRewriter::drop(const Steps &ranks)
{
    for (const GradientStep *step : ranks)
        for (const GradientStep::Bucket &bucket : step->buckets) {
            m_dropped.insert(bucket.collective);
            dropHandOff(*step, bucket);
        }
}

/// The call is in the gradient's op; on accelerators its own ops are behind that.
void GradientRewriter::dropHandOff(const GradientStep &step, const GradientStep::Bucket &bucket)
{
    const OpId gradient = step.gradients[bucket.firstParameter + bucket.parameterCount - 1];
    std::int64_t leftNs = handOff(step.worker).durationNs;
    const auto take = [&leftNs](std::int64_t &ns) {
        const std::int64_t takenNs = std::min(ns, leftNs);
        ns -= takenNs;
        leftNs -= takenNs;
    };
    if (step.kernels.empty()) {
        take(m_builder.op(gradient).durationNs);
        return;
    }
    for (OpId next = m_nextOnThread[gradient.value]; next != NoOp && leftNs > 0;
         next = m_nextOnThread[next.value]) {
        take(m_builder.op(next).delayNs);
        take(m_builder.op(next).durationNs);
    }
}

GradientRewriter::HandOff GradientRewriter::handOff(WorkerId worker) const
{
    return worker.value < m_handOffs.size() ? m_handOffs[worker.value] : HandOff {};
}

std::size_t GradientRewriter::addReduction(const Steps &ranks, std::size_t parameter,
                                           std::uint64_t gradientBytes)
{
    throwIfCancelled(m_control);
    const std::uint64_t bytes = m_sentShare == 1
        ? gradientBytes
        : static_cast<std::uint64_t>(
            std::min(m_sentShare * static_cast<double>(gradientBytes), LargestBytes));
    const std::size_t index = m_builder.collectives().size();
    const GradientStep &first = *ranks.front();
    const Fit &fit = fitOf(first, bytes);
    const CollectiveNode &model = *fit.measured;
    CollectiveNode node;
    node.name = model.name;
    node.group = model.group;
    node.statedRanks = model.statedRanks;
    node.algorithm = model.algorithm;
    node.chosenAlgorithm = fit.chosenAlgorithm;
    node.iteration = model.iteration;
    node.bytes = bytes;
    node.sequence = index;
    node.parts.reserve(ranks.size());
    OpSpec arrival = m_builder.op(model.arrival);
    OpSpec transfer = m_builder.op(model.transfer);
    const OpSpec readied = m_builder.op(lastOf(first, parameter));
    arrival.measuredStartNs = transfer.measuredStartNs = readied.measuredStartNs;
    if (!first.kernels.empty())
        arrival.iteration = transfer.iteration = readied.iteration;
    transfer.slice = NoSlice;
    transfer.durationNs = fit.durationNs;
    transfer.delayNs = unseenWaitNs(first, parameter);
    node.arrival = m_builder.addOp(arrival);
    node.transfer = m_builder.addOp(transfer);
    m_builder.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
    for (const GradientStep *step : ranks)
        node.parts.push_back(addPart(*step, node, parameter));
    m_builder.addCollective(std::move(node));
    return index;
}

const GradientRewriter::Fit &GradientRewriter::fitOf(const GradientStep &step, std::uint64_t bytes)
{
    Fit &fit = m_lastFit;
    if (fit.step == &step && fit.bytes == bytes)
        return fit;
    const CollectiveNode &measured = measuredLike(step, bytes);
    fit = { &step, bytes, &measured, {}, 0 };
    if (!measured.chosenAlgorithm.empty())
        fit.chosenAlgorithm = takenAfter(
            measured, { static_cast<double>(bytes), static_cast<double>(measured.rankCount()) },
            m_graph, m_trace);
    fit.durationNs
        = fittedNs(m_graph.device[measured.transfer.value], measured,
                   measured.algorithm.empty() ? fit.chosenAlgorithm : measured.algorithm, bytes);
    return fit;
}

std::int64_t GradientRewriter::unseenWaitNs(const GradientStep &step, std::size_t parameter)
{
    if (m_lastWait.step != &step || m_lastWait.parameter != parameter)
        m_lastWait = { &step, parameter, findUnseenWaitNs(step, parameter) };
    return m_lastWait.ns;
}

/// How much later than the recorded ranks those without a recording were ready for the measured
/// all-reduces, between these in proportion to the time: who is late in one is late in parts of it.
std::int64_t GradientRewriter::findUnseenWaitNs(const GradientStep &step,
                                                std::size_t parameter) const
{
    const auto readyNs = [&](std::size_t ofParameter) {
        return static_cast<double>(m_graph.measuredStartNs[lastOf(step, ofParameter).value]);
    };
    const double atNs = readyNs(parameter);
    double fromNs = 0, fromWaitNs = 0;
    bool hasFrom = false;
    for (const GradientStep::Bucket &bucket : step.buckets) {
        const double toNs = readyNs(bucket.firstParameter + bucket.parameterCount - 1);
        const auto toWaitNs = static_cast<double>(
            core::unseenWaitNs(m_graph, m_graph.collectives[bucket.collective]));
        if (atNs <= toNs)
            return boundedNs(hasFrom && toNs > fromNs ? fromWaitNs
                                     + (toWaitNs - fromWaitNs) * (atNs - fromNs) / (toNs - fromNs)
                                                      : toWaitNs);
        fromNs = toNs;
        fromWaitNs = toWaitNs;
        hasFrom = true;
    }
    return boundedNs(fromWaitNs);
}

/// NCCL chooses algorithms by size.
const CollectiveNode &GradientRewriter::measuredLike(const GradientStep &step,
                                                     std::uint64_t bytes) const
{
    const CollectiveNode *nearest = &m_graph.collectives[step.buckets.front().collective];
    if (nearest->algorithm.empty())
        return *nearest;
    const auto distance = [bytes](const CollectiveNode &node) {
        return std::abs(std::log(static_cast<double>(node.bytes + 1))
                        - std::log(static_cast<double>(bytes + 1)));
    };
    for (const GradientStep::Bucket &bucket : step.buckets)
        if (distance(m_graph.collectives[bucket.collective]) < distance(*nearest))
            nearest = &m_graph.collectives[bucket.collective];
    return *nearest;
}

CollectiveNode::Part GradientRewriter::addPart(const GradientStep &step, const CollectiveNode &node,
                                               std::size_t parameter)
{
    CollectiveNode::Part part = partOf(step);
    const OpId last = lastOf(step, parameter);
    const OpSpec readied = m_builder.op(last);
    OpSpec ready = m_builder.op(part.ready);
    ready.slice = NoSlice;
    ready.delayNs = 0;
    ready.measuredStartNs = readied.measuredStartNs;
    if (!step.kernels.empty()) {
        ready.delayNs = handOff(step.worker).delayNs;
        ready.iteration = readied.iteration;
    }
    part.slice = NoSlice;
    part.startNs = part.endNs = ready.measuredStartNs;
    part.ready = m_builder.addOp(ready);
    m_builder.addEdge(last, part.ready, step.kernels.empty() ? EdgeKind::Data : EdgeKind::Sync);
    m_builder.addEdge(part.ready, node.arrival, EdgeKind::Collective);
    return part;
}

const CollectiveNode::Part &GradientRewriter::partOf(const GradientStep &step)
{
    const CollectiveNode::Part *&part
        = m_parts[static_cast<std::size_t>(&step - m_graph.gradientSteps.data())];
    if (!part)
        part = &partIn(step.buckets.front().collective, step.worker);
    return *part;
}

const CollectiveNode::Part &GradientRewriter::partIn(std::size_t collective, WorkerId worker) const
{
    const auto &parts = m_graph.collectives[collective].parts;
    // Mostly all ranks take part, in their order.
    if (worker.value < parts.size() && parts[worker.value].worker == worker)
        return parts[worker.value];
    return *std::find_if(parts.begin(), parts.end(), [worker](const CollectiveNode::Part &part) {
        return part.worker == worker;
    });
}

OpId GradientRewriter::lastOf(const GradientStep &step, std::size_t parameter)
{
    return step.kernels.empty() ? step.gradients[parameter] : step.kernels[parameter];
}

std::int64_t GradientRewriter::fittedNs(DeviceId link, const CollectiveNode &measured,
                                        std::string_view algorithm, std::uint64_t bytes) const
{
    const LinkModel *model = modelOf(m_links, link, measured, m_trace);
    if (!model) // see reductionCostObstacle()
        throw Infeasible(
            "Gradients cannot be regrouped: no transfer of the trace tells what a reduction "
            "costs.");
    return boundedNs(model->alphaNs
                     + model->betaNsPerByte * wireBytes(measured, algorithm, bytes, m_trace));
}

void GradientRewriter::hideLatency(std::size_t collective)
{
    const CollectiveNode &node = m_builder.collectives()[collective];
    OpSpec &transfer = m_builder.op(node.transfer);
    const std::int64_t hiddenNs = std::min(transfer.durationNs, hiddenLatencyNs(transfer.device));
    m_builder.op(node.arrival).delayNs += transfer.delayNs;
    transfer.delayNs = hiddenNs;
    transfer.durationNs -= hiddenNs;
    transfer.bytes = node.bytes;
}

std::int64_t GradientRewriter::hiddenLatencyNs(DeviceId link) const
{
    const GradientStep &step = m_graph.gradientSteps.front();
    const LinkModel *model
        = modelOf(m_links, link, m_graph.collectives[step.buckets.front().collective], m_trace);
    const bool isHidden
        = model && model->isPipelined && m_builder.devices()[link.value].capacity > 1;
    return isHidden ? boundedNs(model->alphaNs) : 0;
}

void GradientRewriter::makeSlice(std::size_t collective, const SliceLimits &limits)
{
    const CollectiveNode &node = m_builder.collectives()[collective];
    OpSpec &op = m_builder.op(node.transfer);
    op.bytes = node.bytes;
    m_builder.op(node.arrival).delayNs += op.delayNs;
    op.delayNs = 0;
    if (!m_lastSlice || m_lastSlice->link != op.device || m_lastSlice->bytes != node.bytes)
        m_lastSlice = { op.device, node.bytes, sliceNs(op.device, node.bytes, limits) };
    op.durationNs = m_lastSlice->ns.value_or(op.durationNs);
}

/// Empty where the link serves one at a time.
std::optional<std::int64_t> GradientRewriter::sliceNs(DeviceId link, std::uint64_t bytes,
                                                      const SliceLimits &limits) const
{
    const GradientStep &step = m_graph.gradientSteps.front();
    const CollectiveNode &measured = m_graph.collectives[step.buckets.front().collective];
    const LinkModel *model = modelOf(m_links, link, measured, m_trace);
    const Device &device = m_builder.devices()[link.value];
    if (!model || device.capacity <= 1)
        return std::nullopt;
    const double onWire = wireBytes(measured, bytes, m_trace);
    return boundedNs(costOfSlice(*model, device, limits, onWire).ns(onWire));
}

} // namespace core
