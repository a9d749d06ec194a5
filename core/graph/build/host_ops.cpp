#include "core/graph/build/host_ops.h"

#include "core/graph/build/wait_names.h"
#include "core/graph/framework/named_kernels.h"
#include "core/graph/framework/tensor_ops.h"
#include "core/model/category.h"
#include "core/model/finish_track.h"
#include "core/model/gradient_names.h"

#include <algorithm>

namespace core {

namespace {

    bool isContainer(Category category)
    {
        return category == Category::UserAnnotation || category == Category::PythonFunction
            || category == Category::Span || category == Category::Overhead;
    }

    /// Whether any of what the worker's calls launch was recorded.
    bool hasDeviceOps(const GraphContext &context, WorkerId worker)
    {
        const auto &streams = context.tracks.of(worker, TrackKind::Stream);
        return std::any_of(streams.begin(), streams.end(), [&context](const Track *stream) {
            const auto &categories = context.trace.slices[stream->id.value].category;
            return std::any_of(categories.begin(), categories.end(), isDeviceActivity);
        });
    }

    /// An annotation around loading the input; aligned.
    struct InputCall
    {
        std::size_t row;
        TimeRange range;
    };

    /// Cuts one thread's slices into ops.
    class ThreadCutter
    {
    public:
        ThreadCutter(GraphContext &context, const Track &track,
                     const std::vector<NameTraits> &traits, const NamedKernels &kernels,
                     bool areDeviceOps)
            : m_context(context)
            , m_track(track)
            , m_slices(context.trace.slices[track.id.value])
            , m_traits(traits)
            , m_kernels(kernels)
            , m_mustOpen(m_slices.size(), 0)
            , m_hasFrameworkOps(std::any_of(
                  m_slices.category.begin(), m_slices.category.end(),
                  [](Category c) { return c == Category::CpuOp || c == Category::Runtime; }))
            , m_hasDeviceOps(areDeviceOps)
        {
        }

        std::vector<OpId> cut(DeviceId device)
        {
            m_device = device;
            markOpened();
            findInput();
            const TimeRange window = m_context.workers[m_track.worker.value].window;
            std::int64_t coveredUntil = window.startNs;
            std::uint8_t coveringDepth = 0;
            for (std::size_t row = 0; row < m_slices.size(); ++row) {
                if (isContainer(m_slices.category[row]) && !isMarkedWork(row))
                    continue;
                const std::int64_t recordedNs = aligned(m_slices.startNs[row]);
                const bool isBeside = m_slices.depth[row] <= coveringDepth
                    && coveredUntil - recordedNs < TouchToleranceNs;
                if (recordedNs < coveredUntil && !isBeside) {
                    noteLaunch(row); // inside of an op that was taken whole
                    continue;
                }
                if (!window.contains(recordedNs))
                    continue;
                if (m_mustOpen[row]) {
                    if (isLaunch(row))
                        m_openedLaunches.push_back(m_slices.correlation[row]);
                    continue;
                }
                // Neighbours overlap by what a trace rounds their times by.
                const std::int64_t startNs = std::max(recordedNs, coveredUntil);
                addInput({ coveredUntil, startNs });
                coveredUntil = std::max(startNs, aligned(m_slices.endNs(row)));
                coveringDepth = m_slices.depth[row];
                addRow(row, startNs, coveredUntil);
            }
            addInput({ coveredUntil, window.endNs });
            return std::move(m_ops);
        }

    private:
        std::int64_t aligned(std::int64_t rawNs) const
        {
            return m_context.trace.toAligned(m_track.worker, rawNs);
        }

        /// By start; none within another.
        void findInput()
        {
            for (std::size_t row = 0; row < m_slices.size(); ++row) {
                const TimeRange range { aligned(m_slices.startNs[row]),
                                        aligned(m_slices.endNs(row)) };
                if (m_slices.phase[row] == Phase::Input && isContainer(m_slices.category[row])
                    && (m_input.empty() || range.startNs >= m_input.back().range.endNs))
                    m_input.push_back({ row, range });
            }
        }

        /// Ops for what of `free`, in which the thread runs none, goes to loading the input: files
        /// that are read, and waiting for processes that do it, are no operations of a framework.
        void addInput(const TimeRange &free)
        {
            // Where ops follow each other at once, or the last one outlasts the window.
            if (free.isEmpty())
                return;
            while (m_nextInput < m_input.size() && m_input[m_nextInput].range.endNs <= free.startNs)
                ++m_nextInput;
            for (std::size_t i = m_nextInput;
                 i < m_input.size() && m_input[i].range.startNs < free.endNs; ++i)
                addPiece(m_input[i].row, std::max(free.startNs, m_input[i].range.startNs),
                         std::min(free.endNs, m_input[i].range.endNs));
        }

        /// On a thread without framework ops, the innermost annotations tell what it does, but for
        /// those around whole steps (jax.profiler.StepTraceAnnotation); on any other, where it
        /// waits.
        bool isMarkedWork(std::size_t row) const
        {
            if (m_slices.category[row] != Category::UserAnnotation)
                return false;
            const bool isInnermost
                = row + 1 == m_slices.size() || m_slices.depth[row + 1] <= m_slices.depth[row];
            return m_traits[m_slices.name[row].value].isWait
                || (!m_hasFrameworkOps && isInnermost && !holdsStep(row));
        }

        /// Whether an iteration that the source marks lies within.
        bool holdsStep(std::size_t row) const
        {
            const std::vector<TimeRange> &steps
                = m_context.workers[m_track.worker.value].iterations;
            const std::int64_t startNs = aligned(m_slices.startNs[row]) - ClockRoundingNs;
            const auto first = std::partition_point(
                steps.begin(), steps.end(),
                [startNs](const TimeRange &step) { return step.startNs < startNs; });
            return m_context.hasSteps && first != steps.end()
                && first->endNs <= aligned(m_slices.endNs(row)) + ClockRoundingNs;
        }

        bool isLaunch(std::size_t row) const
        {
            return m_slices.category[row] == Category::Runtime && m_slices.correlation[row] != 0;
        }

        /// What the row launches, the last op launches as far as is known.
        void noteLaunch(std::size_t row)
        {
            if (isLaunch(row) && !m_ops.empty())
                setLaunch(m_slices.correlation[row]);
        }

        void setLaunch(std::uint64_t correlation)
        {
            m_context.workers[m_track.worker.value].launches[m_track.file].set(correlation,
                                                                               m_ops.back());
        }

        /// Where nothing of a device was recorded, a call into it launches nothing and waits for
        /// nothing that is known: it is work of the operator that makes it, as it is measured.
        bool isPointOfInterest(std::size_t row) const
        {
            const NameTraits &traits = m_traits[m_slices.name[row].value];
            const bool reachesDevice
                = m_hasDeviceOps || m_slices.category[row] != Category::Runtime;
            return (reachesDevice && (isLaunch(row) || traits.isBlocking)) || traits.isGradient
                || traits.isWait;
        }

        /// Every slice around a point of interest has to be opened. A call of the runtime holds
        /// none but calls: an operator that seems to be inside has the same times, in whole
        /// microseconds; and so has a call that takes no time, which may be another one's
        /// neighbour.
        void markOpened()
        {
            std::vector<std::size_t> open, operators; // all that are open, and those no calls
            for (std::size_t row = 0; row < m_slices.size(); ++row) {
                const bool isCall = m_slices.category[row] == Category::Runtime;
                popEnded(row, open);
                popEnded(row, operators);
                if (isPointOfInterest(row))
                    markAll(row, isCall && m_slices.durationNs[row] > 0 ? open : operators);
                open.push_back(row);
                if (!isCall)
                    operators.push_back(row);
            }
        }

        /// Also neighbours that overlap the row by what a trace rounds their times by.
        void popEnded(std::size_t row, std::vector<std::size_t> &open) const
        {
            const auto hasEnded = [this, row](std::size_t other) {
                const std::int64_t insideNs = m_slices.endNs(other) - m_slices.startNs[row];
                return insideNs <= 0
                    || (insideNs < TouchToleranceNs
                        && m_slices.depth[other] >= m_slices.depth[row]);
            };
            while (!open.empty() && hasEnded(open.back()))
                open.pop_back();
        }

        /// From the innermost on; those around one that is marked are marked already. Some
        /// profilers record calls across the ends of operators: such a one may have ended behind
        /// one that has not.
        void markAll(std::size_t row, const std::vector<std::size_t> &open)
        {
            for (auto it = open.rbegin(); it != open.rend() && !m_mustOpen[*it]; ++it)
                if (m_slices.endNs(*it) > m_slices.startNs[row])
                    m_mustOpen[*it] = 1;
        }

        /// One op for the slice, or two where it hands a collective over on the way: what the
        /// backend waits for is the first of them.
        void addRow(std::size_t row, std::int64_t startNs, std::int64_t endNs)
        {
            std::int64_t fromNs = startNs;
            for (std::size_t inner = row;
                 inner < m_slices.size() && aligned(m_slices.startNs[inner]) < endNs; ++inner) {
                if (!m_traits[m_slices.name[inner].value].isHandOff)
                    continue;
                // Rounded times may have it begin before the call in front of it ends.
                const std::int64_t cutNs = std::max(fromNs, aligned(m_slices.startNs[inner]));
                addPiece(row, fromNs, cutNs);
                m_context.handOff[m_context.sliceId(m_track.id, inner).value] = m_ops.back();
                fromNs = cutNs;
            }
            addPieceAround(row, fromNs, endNs);
            m_context.setOpAt(m_track.id, row, m_ops.back());
            if (m_slices.correlation[row] != 0)
                setLaunch(m_slices.correlation[row]);
            for (const std::uint64_t correlation : m_openedLaunches)
                setLaunch(correlation);
            m_openedLaunches.clear();
        }

        /// The piece, without the time in which it waits for kernels of its own.
        void addPieceAround(std::size_t row, std::int64_t fromNs, std::int64_t endNs)
        {
            const std::vector<TimeRange> &busy = m_kernels.busyTimes(m_slices.name[row]);
            auto kernels
                = std::partition_point(busy.begin(), busy.end(), [fromNs](const TimeRange &range) {
                      return range.startNs < fromNs;
                  });
            for (; kernels != busy.end() && kernels->startNs < endNs; ++kernels) {
                addPiece(row, fromNs, kernels->startNs);
                // It does not wait for kernels that are still at work when it returns.
                fromNs = kernels->endNs <= endNs ? kernels->endNs : kernels->startNs;
            }
            addPiece(row, fromNs, endNs);
        }

        void addPiece(std::size_t row, std::int64_t fromNs, std::int64_t toNs)
        {
            OpSpec spec;
            spec.name = m_slices.name[row];
            spec.device = m_device;
            spec.kind = m_slices.category[row] == Category::CpuOp ? OpKind::Compute : OpKind::Host;
            spec.phase = m_slices.phase[row];
            spec.worker = m_track.worker;
            spec.slice = m_context.sliceId(m_track.id, row);
            spec.measuredStartNs = fromNs;
            spec.durationNs = toNs - fromNs;
            spec.iteration = m_context.iterationAt(m_track.worker, fromNs);
            const OpId op = m_context.addOp(spec, toNs);
            if (!m_ops.empty())
                m_context.builder.addEdge(m_ops.back(), op, EdgeKind::HostOrder);
            m_ops.push_back(op);
        }

        GraphContext &m_context;
        const Track &m_track;
        const SliceColumns &m_slices;
        const std::vector<NameTraits> &m_traits;
        const NamedKernels &m_kernels;
        std::vector<char> m_mustOpen;
        bool m_hasFrameworkOps;
        bool m_hasDeviceOps;
        DeviceId m_device;
        std::vector<OpId> m_ops;
        /// Of calls around the next op, which are no ops of their own: a call is opened for a row
        /// inside of it, which is the next op at the latest.
        std::vector<std::uint64_t> m_openedLaunches;
        std::vector<InputCall> m_input;
        std::size_t m_nextInput = 0; ///< the first that may not have ended
    };

} // namespace

std::vector<NameTraits> traitsOfNames(const Trace &trace)
{
    const std::vector<char> blocks = namesThatBlock(trace);
    std::vector<NameTraits> traits(trace.names.size());
    for (std::size_t i = 0; i < trace.names.size(); ++i) {
        const std::string_view name = trace.names[i];
        traits[i].isGradient = isGradientOp(name) || name.ends_with(CopyOutSuffix);
        traits[i].isHandOff = name.starts_with(HandOffPrefix);
        traits[i].isBlocking = blocks[i] != 0;
        traits[i].isWait = isWaitingName(name);
    }
    return traits;
}

void addHostOps(GraphContext &context, const std::vector<NameTraits> &traits, WorkerId worker)
{
    const NamedKernels kernels(context, worker);
    const bool areDeviceOps = hasDeviceOps(context, worker); // of thousands of threads, once
    for (const Track *track : context.tracks.of(worker, TrackKind::HostThread)) {
        Device device;
        device.name = track->name;
        device.worker = worker;
        device.track = track->id;
        device.hasTrack = true;
        const DeviceId id = context.builder.addDevice(device);
        std::vector<OpId> ops
            = ThreadCutter(context, *track, traits, kernels, areDeviceOps).cut(id);
        if (ops.empty())
            continue;
        auto &ofWorker = context.workers[worker.value];
        if (track->id == ofWorker.mainThread)
            ofWorker.mainOps = ofWorker.threads.size();
        ofWorker.threads.push_back(std::move(ops));
    }
}

} // namespace core
