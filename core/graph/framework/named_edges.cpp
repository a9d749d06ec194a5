#include "core/graph/framework/named_edges.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

namespace core {

namespace {

    constexpr std::string_view TensorPrefix = "Comm.";
    /// Runs looked at for all dependencies together; more would take minutes.
    constexpr std::uint64_t MostRuns = 50'000'000;

    /// One run of a named op: the parts of a slice on a thread, or one op elsewhere.
    struct Run
    {
        std::int64_t startNs, endNs;
        OpId first, last;
        DeviceId lane;
        std::int32_t iteration;
    };
    using Runs = std::vector<Run>; ///< by start

    struct NamedRuns
    {
        Runs onThreads, onDevices;
    };

    struct NamedCounts
    {
        std::uint64_t dependencies = 0, joined = 0, contradicted = 0, edges = 0, leftOut = 0;
    };

    /// The runs of one worker's ops by name.
    class WorkerRuns
    {
    public:
        WorkerRuns(const GraphContext &context, WorkerId worker)
            : m_context(context)
        {
            const GraphContext::WorkerOps &ops = context.workers[worker.value];
            for (const std::vector<OpId> &thread : ops.threads)
                addThread(thread);
            for (const std::vector<OpId> &stream : ops.streams)
                for (const OpId op : stream)
                    addDeviceOp(context.builder.op(op).name, op);
            addCommunication(worker);
            for (auto &[name, runs] : m_runs) {
                sort(runs.onThreads);
                sort(runs.onDevices);
            }
        }

        /// Null if nothing of the name is recorded.
        const NamedRuns *find(NameId name) const
        {
            const auto found = m_runs.find(name);
            return found == m_runs.end() ? nullptr : &found->second;
        }

    private:
        static void sort(Runs &runs)
        {
            std::sort(runs.begin(), runs.end(), [](const Run &a, const Run &b) {
                return std::tie(a.startNs, a.first) < std::tie(b.startNs, b.first);
            });
        }

        Run runOf(OpId op) const
        {
            const OpSpec &spec = m_context.builder.op(op);
            const OpId completion = m_context.completion(op);
            return { spec.measuredStartNs,
                     m_context.measuredEndNs[completion.value],
                     op,
                     completion,
                     spec.device,
                     spec.iteration };
        }

        void addThread(const std::vector<OpId> &thread)
        {
            for (std::size_t i = 0; i < thread.size();) {
                const OpSpec &spec = m_context.builder.op(thread[i]);
                Run run = runOf(thread[i]);
                for (++i; i < thread.size() && m_context.builder.op(thread[i]).slice == spec.slice;
                     ++i) {
                    run.last = thread[i];
                    run.endNs = m_context.measuredEndNs[thread[i].value];
                }
                m_runs[spec.name].onThreads.push_back(run);
            }
        }

        void addDeviceOp(NameId name, OpId op) { m_runs[name].onDevices.push_back(runOf(op)); }

        /// Communication by its own name, and by those of the tensors that it carries.
        void addCommunication(WorkerId worker)
        {
            const Trace &trace = m_context.trace;
            std::unordered_map<std::string_view, NameId> named;
            for (std::uint32_t i = 0; i < trace.names.size(); ++i)
                if (trace.names[i].starts_with(TensorPrefix))
                    named.emplace(std::string_view(trace.names[i]).substr(TensorPrefix.size()),
                                  NameId(i));
            std::unordered_map<std::uint64_t, OpId> calls;
            for (const OpId op : m_context.workers[worker.value].calls) {
                const OpSpec &spec = m_context.builder.op(op);
                addDeviceOp(spec.name, op);
                calls.emplace(spec.slice.value, op);
            }
            for (const TensorUse &use : trace.tensorUses) {
                const auto call = calls.find(use.slice.value);
                const auto name = named.find(trace.tensors[use.tensor.value].name);
                if (call != calls.end() && name != named.end()
                    && m_context.builder.op(call->second).name != name->second)
                    addDeviceOp(name->second, call->second);
            }
        }

        const GraphContext &m_context;
        std::unordered_map<NameId, NamedRuns> m_runs;
    };

    class Linker
    {
    public:
        explicit Linker(GraphContext &context)
            : m_context(context)
        {
        }

        void link(WorkerId worker, const std::vector<DependencyEdge> &dependencies)
        {
            const WorkerRuns runs(m_context, worker);
            for (const DependencyEdge &dependency : dependencies) {
                ++m_counts.dependencies;
                const NamedRuns *from
                    = runs.find(NameId(static_cast<std::uint32_t>(dependency.from)));
                const NamedRuns *to = runs.find(NameId(static_cast<std::uint32_t>(dependency.to)));
                if (from == nullptr || to == nullptr)
                    continue;
                ++m_counts.joined;
                linkRuns(*from, *to);
            }
        }

        const NamedCounts &counts() const { return m_counts; }

    private:
        void linkRuns(const NamedRuns &from, const NamedRuns &to)
        {
            const std::uint64_t looked = to.onThreads.size() + to.onDevices.size();
            if (m_looked + looked > MostRuns) {
                ++m_counts.leftOut;
                return;
            }
            m_looked += looked;
            const bool isOnThreads = !from.onThreads.empty() && !to.onThreads.empty();
            const bool isOnDevices = !from.onDevices.empty() && !to.onDevices.empty();
            if (isOnThreads)
                linkLane(from.onThreads, to.onThreads);
            if (isOnDevices)
                linkLane(from.onDevices, to.onDevices);
            if (!isOnThreads && !isOnDevices)
                linkLane(from.onThreads.empty() ? from.onDevices : from.onThreads,
                         to.onThreads.empty() ? to.onDevices : to.onThreads);
        }

        /// Runs of one op on one kind of lane end in the order in which they begin, but for
        /// overlaps of streams, where the later one to begin is taken.
        void linkLane(const Runs &writers, const Runs &readers)
        {
            const Run *linked = nullptr;
            for (const Run &reader : readers) {
                auto next = std::partition_point(
                    writers.begin(), writers.end(), [&reader](const Run &writer) {
                        return writer.endNs <= reader.startNs + ClockRoundingNs;
                    });
                const bool hasWriter
                    = next != writers.begin() && (next - 1)->iteration == reader.iteration;
                if (!hasWriter) {
                    m_counts.contradicted += linked == nullptr ? 1 : 0;
                    continue;
                }
                const Run &writer = *(next - 1);
                if (&writer == linked || writer.lane == reader.lane || writer.first == reader.first)
                    continue;
                linked = &writer;
                m_context.builder.addEdge(writer.last, reader.first, EdgeKind::Framework);
                ++m_counts.edges;
            }
        }

        GraphContext &m_context;
        NamedCounts m_counts;
        std::uint64_t m_looked = 0;
    };

    void addNamedNotes(GraphBuilder &builder, const NamedCounts &all)
    {
        builder.addNote(std::to_string(all.joined) + " of " + std::to_string(all.dependencies)
                        + " dependencies that the framework's graph states by name are between "
                          "recorded ops; "
                        + std::to_string(all.edges)
                        + " edges between their runs are not implied by the order of threads and "
                          "streams.");
        if (all.contradicted > 0)
            builder.addNote(
                std::to_string(all.contradicted)
                + " runs began before what the framework's graph says they wait for, or "
                  "in another iteration; no edge was made for them.");
        if (all.leftOut > 0)
            builder.addNote(std::to_string(all.leftOut)
                            + " dependencies by name were left out: the ops run too often.");
    }

} // namespace

void addNamedEdges(GraphContext &context, const JobControl &control)
{
    std::map<WorkerId, std::vector<DependencyEdge>> byWorker;
    for (const Dependency &dependency : context.trace.dependencies)
        if (dependency.edge.key == DependencyKey::Name)
            byWorker[dependency.worker].push_back(dependency.edge);
    if (byWorker.empty())
        return;
    Linker linker(context);
    for (const auto &[worker, dependencies] : byWorker) {
        throwIfCancelled(control);
        linker.link(worker, dependencies);
    }
    addNamedNotes(context.builder, linker.counts());
}

} // namespace core
