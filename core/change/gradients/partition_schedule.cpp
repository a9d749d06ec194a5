#include "core/change/gradients/partition_schedule.h"

#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/partition_updates.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/repartition.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/graph_edits.h"
#include "core/change/unroll.h"
#include "core/graph/build_graph.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace core {

namespace {

    constexpr std::string_view BucketCopy = "aten::mul"; ///< into the bucket (reducer.cpp)

    bool isKnown(OpId op)
    {
        return op != NoOp;
    }

    /// The arrival, the transfer and each rank's ready op of every slice; each rank's update of a
    /// parameter.
    double opsOfSlices(const Graph &graph, std::uint64_t partitionBytes)
    {
        const double opsOfOne
            = 1 + 2 / static_cast<double>(std::max<std::size_t>(1, graph.workerCount()));
        double ops = 0;
        for (const GradientStep &step : graph.gradientSteps)
            for (const std::uint64_t bytes : step.parameterBytes) {
                const double slices
                    = std::ceil(static_cast<double>(bytes) / static_cast<double>(partitionBytes));
                ops += 1 + std::max(1.0, slices) * opsOfOne;
            }
        return ops;
    }

    /// A ready op has two edges, and each rank's update waits for the slice.
    GraphRoom roomFor(const Graph &graph, const SliceLimits &limits)
    {
        const auto ops = static_cast<std::size_t>(opsOfSlices(graph, limits.partitionBytes));
        return { ops, 3 * ops, ops / (2 + graph.workerCount()) };
    }

    /// The recorded iterations of an unrolled graph, which lead to the steady state of the others.
    void leaveOutFirst(std::int32_t recorded, Graph &unrolled)
    {
        for (std::int32_t i = 0; i < recorded; ++i)
            unrolled.keptIterations.push_back(i);
        const bool isOne = recorded == 1;
        unrolled.notes.insert(
            unrolled.notes.begin(),
            (isOne ? "One iteration is recorded, too few" : "Two iterations are recorded, too few")
                + std::string(" to show what one leaves over to the next: ")
                + (isOne ? "it is" : "they are") + " replayed "
                + std::to_string(unrolled.iterationCount / recorded)
                + " times in a row, and the predicted time is that of the last "
                + std::to_string(unrolled.iterationCount - recorded) + ".");
    }

    class Slicer
    {
    public:
        Slicer(const Graph &graph, const Trace &trace, const LinkModels &links, Schedule schedule,
               const SliceLimits &limits, const JobControl &control)
            : m_graph(graph)
            , m_trace(trace)
            , m_slices(trace)
            , m_schedule(schedule)
            , m_limits(limits)
            , m_isOnDevice(reducesOnAccelerators(graph))
            , m_rewriter(graph, trace, links, control, roomFor(graph, limits))
            , m_builder(m_rewriter.builder())
            , m_control(control)
            , m_launchOf(launchesOf(graph, control))
            , m_updates(graph, m_launchOf, m_isOnDevice, m_builder)
        {
            if (!m_isOnDevice)
                m_nextOnThread = nextOnThread(graph, control);
        }

        Graph rewrite()
        {
            for (const auto &[iteration, ranks] : m_rewriter.iterations()) {
                m_rewriter.drop(ranks);
                for (const GradientStep *step : ranks)
                    if (m_isOnDevice)
                        removeDeviceCopies(*step);
                    else
                        removeCopies(*step);
                addIteration(iteration, ranks);
            }
            keepFollowing();
            setUpLinks();
            m_rewriter.removeDropped();
            m_builder.gradientSteps().clear();
            m_builder.addNote(
                m_isOnDevice
                    ? "Slices are taken to be handed over by a thread of their own, each as fast "
                      "as the recorded all-reduces were; kernels are taken to be as fast beside "
                      "slices as they were beside buckets."
                    : "What a program takes to hand each slice over, and how long a slice waits "
                      "for the other ranks, is not in a recording of buckets: it is told from "
                      "these, and many small slices may cost more, or less.");
            return m_builder.build(m_control);
        }

    private:
        /// An iteration after one that stays as measured begins without slices left over from it,
        /// as the first one does: it is not counted. Others are (see sliceObstacle()).
        void keepFollowing()
        {
            const auto isRewritten = [this](std::int32_t iteration) {
                return m_rewriter.iterations().contains(iteration);
            };
            std::vector<std::int32_t> kept;
            for (std::int32_t i = 0; i < m_graph.iterationCount; ++i)
                if (!isRewritten(i) || (i > 0 && !isRewritten(i - 1)))
                    kept.push_back(i);
            if (std::string note = followingText(kept, m_graph, m_trace); !note.empty())
                m_builder.addNote(std::move(note));
            m_builder.keepIterations(std::move(kept));
        }

        /// The kernels that copied out of buckets and, where the gradient's own ops launched it
        /// last, the one that copied into them. The host still launches them: what a program
        /// without buckets would save there is not known.
        void removeDeviceCopies(const GradientStep &step)
        {
            const auto remove = [this](OpId kernel) {
                m_builder.op(kernel).durationNs = m_builder.op(kernel).delayNs = 0;
            };
            std::for_each(step.copies.begin(), step.copies.end(), remove);
            for (std::size_t i = 0; i < step.kernels.size(); ++i)
                if (m_launchOf[step.kernels[i].value] == step.gradients[i])
                    remove(step.kernels[i]);
        }

        /// From the first view of a bucket, which waited for it, to the last copy out of it; and
        /// the copies into buckets. These average, too, which is left to do.
        void removeCopies(const GradientStep &step)
        {
            for (std::size_t i = 0; i < step.copies.size(); ++i)
                for (OpId op = step.copyStarts[i];; op = m_nextOnThread[op.value]) {
                    m_builder.op(op).durationNs = m_builder.op(op).delayNs = 0;
                    if (op == step.copies[i] || m_nextOnThread[op.value] == NoOp)
                        break;
                }
            for (const OpId gradient : step.gradients) {
                OpSpec &op = m_builder.op(gradient);
                const std::int64_t copyNs = std::min(op.durationNs, bucketCopyNs(op.slice));
                op.durationNs -= copyNs;
                m_updates.addAveraging(gradient, copyNs);
            }
        }

        std::int64_t bucketCopyNs(SliceId slice) const
        {
            const auto place = m_slices.find(slice);
            if (!place)
                return 0;
            const SliceColumns &columns = m_trace.slices[place->track.value];
            std::int64_t copyNs = 0;
            for (std::size_t row = place->row + 1;
                 row < columns.size() && columns.startNs[row] < columns.endNs(place->row); ++row)
                if (m_trace.nameOf(columns.name[row]) == BucketCopy)
                    copyNs += columns.durationNs[row];
            return copyNs;
        }

        void addIteration(std::int32_t iteration, const GradientRewriter::Steps &ranks)
        {
            const GradientStep &first = *ranks.front();
            const std::vector<std::int32_t> priorities = forwardOrder(first);
            const auto next = m_rewriter.iterations().find(iteration + 1);
            for (std::size_t p = 0; p < first.parameterBytes.size(); ++p) {
                throwIfCancelled(m_control);
                const std::vector<OpId> transfers = addTensor(ranks, p, priorities[p]);
                for (std::size_t r = 0; r < ranks.size(); ++r) {
                    const OpId update = addUpdate(*ranks[r], p, transfers);
                    if (next != m_rewriter.iterations().end())
                        addUse(update, *next->second[r], p);
                }
            }
        }

        /// By index: its place when sorted by the keys.
        static std::vector<std::int32_t> placesOf(const std::vector<std::int64_t> &keys)
        {
            std::vector<std::size_t> order(keys.size());
            std::iota(order.begin(), order.end(), std::size_t { 0 });
            std::stable_sort(order.begin(), order.end(),
                             [&keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
            std::vector<std::int32_t> places(keys.size());
            for (std::size_t i = 0; i < order.size(); ++i)
                places[order[i]] = static_cast<std::int32_t>(i);
            return places;
        }

        /// By parameter: its place in the forward pass; where that is not known for all, in the
        /// reverse order of readiness.
        std::vector<std::int32_t> forwardOrder(const GradientStep &step) const
        {
            std::vector<std::int64_t> keys;
            const bool isForwardKnown
                = std::all_of(step.forwards.begin(), step.forwards.end(), isKnown);
            for (std::size_t p = 0; p < step.parameterBytes.size(); ++p)
                keys.push_back(isForwardKnown ? m_graph.measuredStartNs[step.forwards[p].value]
                                              : -static_cast<std::int64_t>(p));
            return placesOf(keys);
        }

        std::vector<OpId> addTensor(const GradientRewriter::Steps &ranks, std::size_t parameter,
                                    std::int32_t priority)
        {
            std::vector<OpId> transfers;
            std::uint64_t left = ranks.front()->parameterBytes[parameter];
            do {
                const std::uint64_t bytes = std::min(left, m_limits.partitionBytes);
                const std::size_t index = m_rewriter.addReduction(ranks, parameter, bytes);
                m_rewriter.makeSlice(index, m_limits);
                const OpId transfer = m_builder.collectives()[index].transfer;
                OpSpec &op = m_builder.op(transfer);
                if (m_schedule == Schedule::P3)
                    op.priority = priority;
                if (m_isOnDevice)
                    sendFromThreads(m_builder.collectives()[index], priority);
                m_links.insert(op.device);
                transfers.push_back(transfer);
                left -= bytes;
            } while (left > 0);
            return transfers;
        }

        /// Launching an all-reduce takes a host's thread some time, which many slices add up.
        void sendFromThreads(const CollectiveNode &slice, std::int32_t priority)
        {
            for (const CollectiveNode::Part &part : slice.parts) {
                OpSpec &ready = m_builder.op(part.ready);
                ready.device = deviceOf(m_senders, part.worker, "slices' sender");
                ready.kind = OpKind::Host;
                ready.durationNs = m_rewriter.handOff(part.worker).durationNs;
                if (m_schedule == Schedule::P3)
                    ready.priority = priority;
            }
        }

        OpId addUpdate(const GradientStep &step, std::size_t parameter,
                       const std::vector<OpId> &transfers)
        {
            const SliceUpdates::Cost cost = m_updates.costOf(step, parameter);
            OpSpec spec;
            spec.name = m_builder.intern("update");
            spec.device = updateDevice(step, parameter);
            spec.kind = OpKind::Compute;
            spec.phase = Phase::Optimizer;
            spec.worker = step.worker;
            spec.iteration
                = m_isOnDevice ? m_graph.iteration[step.kernels.back().value] : step.iteration;
            spec.measuredStartNs = m_builder.op(step.gradients.back()).measuredStartNs;
            spec.durationNs = cost.durationNs;
            spec.stretchShare = cost.stretchShare;
            const OpId update = m_builder.addOp(spec);
            for (const OpId transfer : transfers)
                m_builder.addEdge(transfer, update, EdgeKind::Data);
            return update;
        }

        /// An accelerator's updates take their turn between its kernels. On cores that computation
        /// and the network keep busy they take theirs between the layers' ops.
        DeviceId updateDevice(const GradientStep &step, std::size_t parameter)
        {
            if (m_isOnDevice)
                return m_graph.device[step.kernels[parameter].value];
            if (m_updates.areCoresBusy(step.worker))
                return m_graph.device[step.gradients[parameter].value];
            return deviceOf(m_updateDevices, step.worker, "updates");
        }

        /// The next iteration's first use; where it is not known, the first known use of any
        /// parameter.
        void addUse(OpId update, const GradientStep &next, std::size_t parameter)
        {
            OpId use = next.forwards[parameter];
            if (!isKnown(use))
                for (const OpId forward : next.forwards)
                    if (isKnown(forward)
                        && (!isKnown(use)
                            || m_graph.measuredStartNs[forward.value]
                                < m_graph.measuredStartNs[use.value]))
                        use = forward;
            m_builder.addEdge(update, use, EdgeKind::Data);
        }

        /// The worker's, made when first asked for.
        DeviceId deviceOf(std::map<WorkerId, DeviceId> &devices, WorkerId worker, const char *name)
        {
            const auto [it, isNew] = devices.try_emplace(worker);
            if (isNew) {
                Device device;
                device.name = name;
                device.worker = worker;
                it->second = m_builder.addDevice(device);
            }
            return it->second;
        }

        void setUpLinks()
        {
            for (const DeviceId link : m_links) {
                Device &device = m_builder.device(link);
                device.creditBytes = m_limits.creditBytes;
                if (m_schedule == Schedule::P3)
                    device.discipline = Discipline::Priority;
            }
            if (m_schedule == Schedule::P3)
                for (const auto &[worker, sender] : m_senders)
                    m_builder.device(sender).discipline = Discipline::Priority;
        }

        const Graph &m_graph;
        const Trace &m_trace;
        SliceIndex m_slices;
        Schedule m_schedule;
        SliceLimits m_limits;
        bool m_isOnDevice;
        GradientRewriter m_rewriter;
        GraphBuilder &m_builder;
        const JobControl &m_control;
        std::vector<OpId> m_launchOf; ///< by OpId; NoOp: none
        std::vector<OpId> m_nextOnThread; ///< the same; empty where gradients are on devices
        SliceUpdates m_updates;
        std::map<WorkerId, DeviceId> m_updateDevices, m_senders;
        std::set<DeviceId> m_links; ///< of all slices
    };

} // namespace

std::optional<std::string> sliceObstacle(const Graph &graph)
{
    if (isSentInSlices(graph))
        return {};
    if (auto obstacle = rebucketObstacle(graph))
        return obstacle;
    const bool isTied = std::all_of(
        graph.gradientSteps.begin(), graph.gradientSteps.end(), [](const GradientStep &step) {
            return std::any_of(step.forwards.begin(), step.forwards.end(), isKnown);
        });
    if (!areIterationsKnown(graph))
        return "nothing in the recording tells iterations apart, so what one leaves over to the "
               "next is not known. Record whole steps and mark them (torch.profiler's schedule "
               "and prof.step()).";
    if (!isTied)
        return "nothing ties gradients to the ops of the forward pass that use their parameters. "
               "Record with a PyTorch that writes autograd's sequence numbers (1.8 or newer).";
    if (const WholeIterations iterations = wholeIterations(graph);
        !iterations.unfit.empty() && !iterations.hasTwoInARow())
        return "no two iterations that follow each other show PyTorch DDP's reduction on every "
               "rank, so what one leaves over to the next is not known.";
    return {};
}

Graph withSlices(const Graph &graph, const Trace &trace, const LinkModels &links, Schedule schedule,
                 const SliceLimits &limits, const JobControl &control)
{
    if (isSentInSlices(graph))
        return withOtherSlices(graph, trace, links, schedule, limits, control);
    const std::int32_t times = timesToSteadyState(graph);
    checkOpsOfSlices(
        [&](std::uint64_t bytes) {
            throwIfCancelled(control);
            return times * opsOfSlices(graph, bytes);
        },
        limits);
    if (times == 1)
        return Slicer(graph, trace, links, schedule, limits, control).rewrite();
    Graph sliced = Slicer(unrolled(graph, times, control), trace, links, schedule, limits, control)
                       .rewrite();
    leaveOutFirst(graph.iterationCount, sliced);
    return sliced;
}

} // namespace core
