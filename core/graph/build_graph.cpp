#include "core/graph/build_graph.h"

#include "core/base/error.h"
#include "core/graph/build/backend_calls.h"
#include "core/graph/build/dependencies.h"
#include "core/graph/build/device_ops.h"
#include "core/graph/build/exchange_ops.h"
#include "core/graph/build/exchanges.h"
#include "core/graph/build/graph_context.h"
#include "core/graph/build/host_ops.h"
#include "core/graph/build/stream_waits.h"
#include "core/graph/build/unlaunched_ops.h"
#include "core/graph/collectives/communication_order.h"
#include "core/graph/framework/framework_edges.h"
#include "core/graph/framework/named_edges.h"
#include "core/graph/framework/named_kernels.h"
#include "core/graph/framework/tensor_edges.h"
#include "core/graph/framework/tensor_ops.h"
#include "core/graph/gradients/gradient_buckets.h"
#include "core/model/by_worker.h"
#include "core/model/step_marks.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace core {

namespace {

    constexpr std::string_view RecordingEnds = "recording ends";

    /// The host thread that marks the iterations, else the busiest.
    std::optional<TrackId> mainThread(const GraphContext &context, WorkerId worker)
    {
        std::optional<TrackId> best;
        std::uint64_t mostBusyNs = 0;
        const Trace &trace = context.trace;
        for (const Track *track : context.tracks.of(worker, TrackKind::HostThread)) {
            const SliceColumns &slices = trace.slices[track->id.value];
            std::uint64_t busyNs = 0;
            bool hasStep = false;
            for (std::size_t row = 0; row < slices.size(); ++row) {
                hasStep = hasStep || trace.nameOf(slices.name[row]).starts_with("ProfilerStep#");
                if (slices.depth[row] == 0)
                    busyNs += static_cast<std::uint64_t>(slices.durationNs[row]);
            }
            if (hasStep)
                return track->id;
            if (!best || busyNs > mostBusyNs) {
                best = track->id;
                mostBusyNs = busyNs;
            }
        }
        return best;
    }

    /// Why a rank cannot be replayed, and what to do.
    std::string noIterations(const GraphContext &context, WorkerId worker)
    {
        if (!iterationsOf(context.trace.iterations, worker).empty())
            return " lacks some of the iterations that all ranks of the job recorded.";
        const std::vector<const Track *> &tracks = context.tracks.of(worker);
        const bool hasSlices = std::any_of(
            tracks.begin(), tracks.end(), [](const Track *track) { return track->sliceCount > 0; });
        if (hasSlices)
            return " has no iteration and no activity to replay. Record whole steps and mark "
                   "them: with torch.profiler's schedule and prof.step(), or "
                   "jax.profiler.StepTraceAnnotation.";
        return " has nothing with a time to replay: its files tell what ran, but not when. Import "
               "them together with a trace of the same run that does (for an execution trace, the "
               "Kineto trace), or add that with longpole import --append.";
    }

    /// A rank without a step has steps without duration, and no op, beside the others.
    void leaveOut(GraphContext &context, const Worker &worker,
                  const GraphContext::WorkerOps &withSteps)
    {
        GraphContext::WorkerOps &ops = context.workers[worker.id.value];
        const std::int64_t startNs = withSteps.iterations.front().startNs;
        ops.window = { startNs, startNs };
        ops.iterations.assign(withSteps.iterations.size(), ops.window);
        ops.iterationNumbers = withSteps.iterationNumbers;
        context.builder.addNote("Rank " + std::to_string(worker.rank)
                                + noIterations(context, worker.id)
                                + " It is left out of the replay.");
    }

    void setUpWorkers(GraphContext &context)
    {
        const Trace &trace = context.trace;
        context.workers.resize(trace.workers.size());
        context.hasSteps = hasKnownIterations(trace);
        if (!trace.compared.leftOut.empty())
            context.builder.addNote(trace.compared.leftOut);
        for (const Iteration &iteration : trace.compared.iterations) {
            GraphContext::WorkerOps &ops = context.workers[iteration.worker.value];
            ops.iterations.push_back({ trace.toAligned(iteration.worker, iteration.range.startNs),
                                       trace.toAligned(iteration.worker, iteration.range.endNs) });
            ops.iterationNumbers.push_back(iteration.index);
        }
        const auto withSteps = std::find_if(
            context.workers.begin(), context.workers.end(),
            [](const GraphContext::WorkerOps &ops) { return !ops.iterations.empty(); });
        if (withSteps == context.workers.end())
            throw Error("Rank " + std::to_string(trace.workers.front().rank)
                        + noIterations(context, trace.workers.front().id));
        for (const Worker &worker : trace.workers) {
            GraphContext::WorkerOps &ops = context.workers[worker.id.value];
            if (ops.iterations.empty())
                leaveOut(context, worker, *withSteps);
            else
                ops.window = { ops.iterations.front().startNs, ops.iterations.back().endNs };
            ops.mainThread = mainThread(context, worker.id);
        }
    }

    /// Virtual begin ops: ranks enter their first iteration as far apart as measured.
    void addBegins(GraphContext &context)
    {
        Device device;
        device.name = "iterations";
        const DeviceId id = context.builder.addDevice(device);
        std::int64_t earliestNs = context.workers.front().window.startNs;
        for (const GraphContext::WorkerOps &worker : context.workers)
            earliestNs = std::min(earliestNs, worker.window.startNs);
        for (std::uint32_t w = 0; w < context.workers.size(); ++w) {
            OpSpec spec;
            spec.name = context.builder.intern("first iteration begins");
            spec.device = id;
            spec.kind = OpKind::Virtual;
            spec.worker = WorkerId(w);
            spec.measuredStartNs = context.workers[w].window.startNs;
            spec.delayNs = spec.measuredStartNs - earliestNs;
            context.workers[w].begin = context.addOp(spec, spec.measuredStartNs);
        }
    }

    /// Of hosts and devices; what devices exchange among these.
    std::vector<Exchange> addOps(GraphContext &context, const std::vector<NameTraits> &traits,
                                 const JobControl &control)
    {
        const auto workerCount = static_cast<std::uint32_t>(context.workers.size());
        for (std::uint32_t w = 0; w < workerCount; ++w) {
            throwIfCancelled(control);
            control.report(0.4 * w / workerCount, "build graph");
            addHostOps(context, traits, WorkerId(w));
        }
        std::vector<Exchange> exchanges = findExchanges(context, control.part(0.4, 0.4));
        const auto exchangedSlices = slicesOf(exchanges);
        for (std::uint32_t w = 0; w < workerCount; ++w) {
            throwIfCancelled(control);
            control.report(0.4 + 0.2 * w / workerCount, "build graph");
            addDeviceOps(context, WorkerId(w), exchangedSlices);
            addNamedLaunches(context, WorkerId(w));
        }
        return exchanges;
    }

    /// See WorkerOps::hasHost.
    void findHosts(GraphContext &context)
    {
        for (GraphContext::WorkerOps &ops : context.workers)
            ops.hasHost = ops.streams.empty() && !ops.threads.empty();
        for (const auto &edge : context.builder.edges())
            if (edge.kind == EdgeKind::Launch)
                context.workers[context.builder.op(edge.to).worker.value].hasHost = true;
    }

    /// Finds the op whose end is the end of an iteration: the last of the host's, which marks
    /// iterations; where it marks none, or is not recorded, the last of all.
    class LastOps
    {
    public:
        LastOps(const GraphContext &context, WorkerId worker)
            : m_context(context)
            , m_worker(worker)
        {
            if (!context.hasSteps || !context.workers[worker.value].hasHost)
                m_done = doneOps(context, worker, !context.hasSteps);
        }

        OpId lastBy(std::int64_t ns) const
        {
            const auto next
                = std::partition_point(m_done.begin(), m_done.end(),
                                       [ns](const DoneOp &done) { return done.doneNs <= ns; });
            return m_context.completion(
                next == m_done.begin() ? m_context.lastHostOpBy(m_worker, ns) : (next - 1)->op);
        }

    private:
        const GraphContext &m_context;
        WorkerId m_worker;
        std::vector<DoneOp> m_done;
    };

    /// Virtual end ops, one an iteration.
    void addIterationEnds(GraphContext &context)
    {
        std::size_t count = context.workers.front().iterations.size();
        for (const GraphContext::WorkerOps &worker : context.workers)
            count = std::min(count, worker.iterations.size());
        std::vector<OpId> begins, ends;
        for (std::uint32_t w = 0; w < context.workers.size(); ++w) {
            const GraphContext::WorkerOps &worker = context.workers[w];
            const LastOps lastOps(context, WorkerId(w));
            begins.push_back(worker.begin);
            for (std::size_t i = 0; i < count; ++i) {
                const std::int64_t endNs = worker.iterations[i].endNs;
                OpSpec spec = context.builder.op(worker.begin);
                spec.name
                    = context.builder.intern(context.hasSteps ? "iteration ends" : RecordingEnds);
                spec.measuredStartNs = endNs;
                spec.iteration = static_cast<std::int32_t>(i);
                const OpId last = lastOps.lastBy(endNs);
                spec.delayNs = std::max<std::int64_t>(0, endNs - context.measuredEndNs[last.value]);
                ends.push_back(context.addOp(spec, endNs));
                context.builder.addEdge(last, ends.back(), EdgeKind::Iteration);
            }
        }
        context.builder.setIterations(std::move(begins), std::move(ends),
                                      static_cast<std::int32_t>(count));
    }

    /// Serves rows of ops that each work on a tensor that came (updates by a parameter server, or
    /// of gradients that are sent in slices) in the order in which the tensors come, whatever the
    /// order was when they were recorded. Needs delays: what an op waited for its row is no delay
    /// of its own.
    void followArrivals(GraphContext &context, const TensorOps &tensorOps)
    {
        const GraphBuilder &builder = context.builder;
        std::unordered_set<DeviceId> rows;
        for (const GraphContext::WorkerOps &worker : context.workers)
            for (const std::vector<OpId> &thread : worker.threads)
                if (std::all_of(thread.begin(), thread.end(),
                                [&](OpId op) { return tensorOps.contains(op); }))
                    rows.insert(builder.op(thread.front()).device);
        if (rows.empty())
            return;
        // What came before the recording leaves an op without an arrival: it keeps its place.
        std::vector<char> hasArrival(builder.size(), 0);
        for (const GraphBuilder::EdgeSpec &edge : builder.edges())
            if (edge.kind == EdgeKind::Data)
                hasArrival[edge.to.value] = 1;
        context.builder.removeEdges([&](const GraphBuilder::EdgeSpec &edge) {
            return edge.kind == EdgeKind::HostOrder && hasArrival[edge.to.value]
                && rows.contains(builder.op(edge.to).device);
        });
    }

} // namespace

Graph buildGraph(const Trace &trace, const JobControl &control)
{
    if (trace.workers.empty())
        throw Error("The project holds no rank; import a trace first.");
    GraphContext context(trace);
    setUpWorkers(context);
    addBegins(context);
    const std::vector<NameTraits> traits = traitsOfNames(trace);
    const std::vector<Exchange> exchanges = addOps(context, traits, control);
    findHosts(context);
    const TensorOps tensorOps(context, exchanges);
    addBackendCalls(context, exchanges, Producers(context, exchanges, tensorOps));
    addExchanges(context, exchanges);
    addTensorEdges(context, exchanges, tensorOps);
    addFrameworkEdges(context, control);
    addNamedEdges(context, control);
    addStreamOrder(context);
    addRecordedWaits(context, control);
    addBlockingCalls(context, traits, control);
    control.report(0.7, "build graph");
    addGradientSteps(context, control);
    addStreamWaits(context, control);
    control.report(0.8, "build graph");
    addCommunicationOrder(context, control);
    inferWaits(context, control);
    control.report(0.9, "build graph");
    addIterationEnds(context);
    dropContradictions(context);
    setDelays(context);
    followArrivals(context, tensorOps);
    noteUnlaunchedOps(context);
    Graph graph = context.builder.build(control);
    graph.matched = std::move(context.matched);
    return graph;
}

bool areIterationsKnown(const Graph &graph)
{
    return std::none_of(graph.iterationEnds.begin(), graph.iterationEnds.end(), [&](OpId end) {
        return graph.names[graph.name[end.value].value] == RecordingEnds;
    });
}

} // namespace core
