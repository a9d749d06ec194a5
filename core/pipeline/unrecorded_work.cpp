#include "core/pipeline/unrecorded_work.h"

#include "core/graph/build/launched_work.h"
#include "core/model/by_worker.h"
#include "core/model/compared_iterations.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

namespace {

    /// Shares of an iteration's launches: less moves no figure by more than that.
    constexpr double ToldShare = 0.005, LackingShare = 0.01, GraveShare = 0.1;

    /// In names of calls of CUDA, HIP and their drivers, SYCL's adapters (urEnqueueKernelLaunch,
    /// urEnqueueUSMMemcpy), Level Zero and Ascend (aclrtLaunchKernel, rtKernelLaunch).
    constexpr std::array LaunchWords = { std::string_view("LaunchKernel"),
                                         std::string_view("KernelLaunch"),
                                         std::string_view("LaunchCooperativeKernel"),
                                         std::string_view("GraphLaunch"),
                                         std::string_view("MemcpyAsync"),
                                         std::string_view("MemsetAsync") };
    constexpr std::string_view GraphWord = "GraphLaunch";
    constexpr std::string_view CaptureWord = "StreamBeginCapture", EndWord = "StreamEndCapture";

    enum class CallKind : char { Other, Launch, GraphLaunch, CaptureBegins, CaptureEnds };

    std::vector<CallKind> kindsOfCalls(const Trace &trace)
    {
        std::vector<CallKind> kinds(trace.names.size(), CallKind::Other);
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const std::string_view name = trace.names[i];
            const auto holds = [name](std::string_view word) {
                return name.find(word) != std::string_view::npos;
            };
            if (holds(GraphWord))
                kinds[i] = CallKind::GraphLaunch;
            else if (std::any_of(LaunchWords.begin(), LaunchWords.end(), holds))
                kinds[i] = CallKind::Launch;
            else if (holds(CaptureWord))
                kinds[i] = CallKind::CaptureBegins;
            else if (holds(EndWord))
                kinds[i] = CallKind::CaptureEnds;
        }
        return kinds;
    }

    struct Launches
    {
        std::size_t all = 0, unrecorded = 0, graphs = 0; ///< graphs: of the unrecorded ones

        Launches &operator+=(const Launches &other)
        {
            all += other.all;
            unrecorded += other.unrecorded;
            graphs += other.graphs;
            return *this;
        }
        double lackedShare() const
        {
            return all == 0 ? 0 : static_cast<double>(unrecorded) / static_cast<double>(all);
        }
    };

    /// Counts a worker's launches by its iterations.
    class LaunchCounter
    {
    public:
        LaunchCounter(const Trace &trace, const std::vector<CallKind> &kinds,
                      std::span<const Iteration> iterations)
            : m_trace(trace)
            , m_kinds(kinds)
            , m_iterations(iterations)
            , m_counts(iterations.size())
        {
        }

        void count(const std::vector<const Track *> &tracks)
        {
            if (!hasLaunches(tracks))
                return;
            const LaunchedWork work(m_trace, tracks);
            for (const Track *track : tracks)
                if (track->kind == TrackKind::HostThread)
                    countOn(m_trace.slices[track->id.value], work);
        }

        const std::vector<Launches> &counts() const { return m_counts; } ///< by iteration

    private:
        CallKind kindOf(const SliceColumns &slices, std::size_t row) const
        {
            return slices.category[row] == Category::Runtime ? m_kinds[slices.name[row].value]
                                                             : CallKind::Other;
        }

        bool hasLaunches(const std::vector<const Track *> &tracks) const
        {
            return std::any_of(tracks.begin(), tracks.end(), [this](const Track *track) {
                const SliceColumns &slices = m_trace.slices[track->id.value];
                if (track->kind != TrackKind::HostThread || slices.correlation.empty())
                    return false;
                for (std::size_t row = 0; row < slices.size(); ++row)
                    if (kindOf(slices, row) != CallKind::Other && slices.correlation[row] != 0)
                        return true;
                return false;
            });
        }

        /// Skips captured launches: they become part of a graph, and run later. A launch within
        /// another is that of the driver, by which the runtime launches: they are one.
        void countOn(const SliceColumns &slices, const LaunchedWork &work)
        {
            bool isCapturing = false;
            Launches *last = nullptr;
            std::int64_t lastEndNs = 0;
            bool isLastRecorded = false, isLastGraph = false;
            for (std::size_t row = 0; row < slices.size(); ++row) {
                const CallKind kind = kindOf(slices, row);
                if (kind == CallKind::CaptureBegins || kind == CallKind::CaptureEnds)
                    isCapturing = kind == CallKind::CaptureBegins;
                const std::uint64_t correlation = slices.correlation[row];
                if ((kind != CallKind::Launch && kind != CallKind::GraphLaunch) || isCapturing
                    || correlation == 0)
                    continue;
                const bool isRecorded = work.hasActivity(correlation);
                if (last != nullptr && slices.endNs(row) <= lastEndNs) {
                    if (isRecorded && !isLastRecorded) {
                        --last->unrecorded;
                        last->graphs -= isLastGraph ? 1 : 0;
                        isLastRecorded = true;
                    }
                    continue;
                }
                last = at(slices.startNs[row]);
                if (last == nullptr)
                    continue;
                lastEndNs = slices.endNs(row);
                isLastRecorded = isRecorded;
                ++last->all;
                last->unrecorded += isRecorded ? 0 : 1;
                isLastGraph = kind == CallKind::GraphLaunch;
                last->graphs += !isRecorded && isLastGraph ? 1 : 0;
            }
        }

        Launches *at(std::int64_t rawNs)
        {
            const auto next = std::partition_point(
                m_iterations.begin(), m_iterations.end(),
                [rawNs](const Iteration &one) { return one.range.startNs <= rawNs; });
            if (next == m_iterations.begin() || (next - 1)->range.endNs <= rawNs)
                return nullptr;
            return &m_counts[static_cast<std::size_t>(next - m_iterations.begin()) - 1];
        }

        const Trace &m_trace;
        const std::vector<CallKind> &m_kinds;
        std::span<const Iteration> m_iterations;
        std::vector<Launches> m_counts;
    };

    /// Takes iterations that lack work out of those that are compared, if any is left.
    bool leaveOutLacking(Trace &trace)
    {
        std::vector<Iteration> marked = trace.iterations;
        bool isAny = false;
        for (Iteration &iteration : marked)
            if (iteration.unrecordedLaunches > 0) {
                iteration.isWhole = false;
                isAny = true;
            }
        if (!isAny)
            return false;
        const bool isSomeWhole = std::any_of(marked.begin(), marked.end(),
                                             [](const Iteration &one) { return one.isWhole; });
        if (!isSomeWhole)
            return false;
        ComparedIterations compared = comparedIterations(trace.workers, marked);
        const bool isAllWhole = std::all_of(compared.iterations.begin(), compared.iterations.end(),
                                            [](const Iteration &one) { return one.isWhole; });
        if (!isAllWhole)
            return false;
        trace.iterations = std::move(marked);
        trace.compared = std::move(compared);
        return true;
    }

    /// Tells the work that the iterations that count lack.
    void tell(Trace &trace, WorkerId worker, const Launches &launches)
    {
        const double share = launches.lackedShare();
        if (launches.unrecorded == 0 || share < ToldShare)
            return;
        const bool areGraphs = 2 * launches.graphs > launches.unrecorded;
        RecordingFault fault;
        fault.worker = worker;
        fault.isGrave = share > GraveShare;
        fault.hidesDeviceWork = fault.isGrave;
        fault.text = std::to_string(areGraphs ? launches.graphs : launches.unrecorded)
            + (areGraphs ? " graph launches" : " of " + std::to_string(launches.all) + " launches")
            + " of rank " + std::to_string(trace.workers[worker.value].rank)
            + " have no device work recorded, so that "
            + (fault.isGrave ? "when its device works or idles is not known."
                             : "its device works more than is seen.");
        trace.faults.push_back(std::move(fault));
    }

} // namespace

void findUnrecordedWork(Trace &trace, const JobControl &control)
{
    const std::vector<CallKind> kinds = kindsOfCalls(trace);
    if (std::all_of(kinds.begin(), kinds.end(),
                    [](CallKind kind) { return kind == CallKind::Other; }))
        return;
    const WorkerTracks tracks(trace);
    std::map<std::pair<WorkerId, std::int64_t>, Launches> byIteration;
    for (const Worker &worker : trace.workers) {
        throwIfCancelled(control);
        const std::span<const Iteration> own = iterationsOf(trace.iterations, worker.id);
        LaunchCounter counter(trace, kinds, own);
        for (const std::vector<const Track *> &file : byFile(tracks.of(worker.id)))
            counter.count(file);
        for (std::size_t i = 0; i < own.size(); ++i) {
            const Launches &launches = counter.counts()[i];
            byIteration[{ worker.id, own[i].range.startNs }] = launches;
            const auto index = static_cast<std::size_t>(&own[i] - trace.iterations.data());
            trace.iterations[index].unrecordedLaunches
                = launches.lackedShare() > LackingShare ? launches.unrecorded : 0;
        }
    }
    leaveOutLacking(trace);
    std::map<WorkerId, Launches> counted;
    for (const Iteration &iteration : trace.compared.iterations)
        counted[iteration.worker] += byIteration[{ iteration.worker, iteration.range.startNs }];
    for (const auto &[worker, launches] : counted)
        tell(trace, worker, launches);
}

} // namespace core
