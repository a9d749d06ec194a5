#include "core/predict/peak_memory.h"

#include "core/change/change_list.h"
#include "core/measure/framework.h"
#include "core/measure/replayed_host_time.h"
#include "core/predict/memory_curve.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace core {

namespace {

    std::string nothingRecorded(const Graph &graph)
    {
        const std::string hint = torchProfilerHint(graph, "profile_memory=True");
        return "no allocations are recorded" + (hint.empty() ? "." : ". Record them" + hint + ".");
    }

    std::string onlyHostRecorded(const Graph &graph)
    {
        return "of ranks with accelerators only allocations in the host's memory are recorded. "
               "Record those in the accelerators' memory, too"
            + torchProfilerHint(graph,
                                "with a build of PyTorch whose device allocator reports to it")
            + ".";
    }

    std::string withoutTotals(const Graph &graph)
    {
        return "allocations are recorded without how much was allocated in all, so the memory that "
               "was in use before the recording is not known. Record the totals, too"
            + torchProfilerHint(graph,
                                "with PyTorch 1.10 or newer, built with Kineto as those of "
                                "pytorch.org are")
            + ".";
    }

    constexpr const char *NoHostOps
        = "the host's operations, during which memory is allocated, are not recorded.";

    /// A change of the level; releases are negative.
    struct Delta
    {
        std::int64_t timeNs;
        std::int64_t bytes;
    };

    std::uint64_t peakOf(std::int64_t startBytes, const std::vector<Delta> &deltas)
    {
        std::int64_t level = std::max<std::int64_t>(0, startBytes);
        std::int64_t peak = level;
        for (const Delta &delta : deltas) {
            level = cappedSum(level, delta.bytes);
            peak = std::max(peak, level);
        }
        return static_cast<std::uint64_t>(peak);
    }

    using Events = std::vector<MemoryEvent>; ///< of one device, by time

    /// One worker's events in its iterations, as measured and as replayed.
    class DeviceWalk
    {
    public:
        DeviceWalk(const Events &events, TimeRange window, std::int64_t levelBefore)
            : m_startBytes(levelBefore)
        {
            for (const MemoryEvent &event : events) {
                if (event.timeNs < window.startNs)
                    m_startBytes = cappedSum(m_startBytes, event.deltaBytes);
                else if (event.timeNs <= window.endNs)
                    m_events.push_back(event);
            }
        }

        std::size_t count() const { return m_events.size(); }
        std::uint64_t startBytes() const
        {
            return static_cast<std::uint64_t>(std::max<std::int64_t>(0, m_startBytes));
        }

        std::uint64_t measuredPeak() const
        {
            std::vector<Delta> deltas;
            deltas.reserve(m_events.size());
            for (const MemoryEvent &event : m_events)
                deltas.push_back({ event.timeNs, event.deltaBytes });
            return peakOf(m_startBytes, deltas);
        }

        std::uint64_t replayedPeak(ReplayedHostTime host, const Trace &trace, WorkerId worker) const
        {
            std::vector<Delta> deltas;
            deltas.reserve(m_events.size());
            std::unordered_map<std::uint64_t, std::int64_t> allocatedAt; ///< by address
            for (const MemoryEvent &event : m_events) {
                std::int64_t ns = host.at(trace.toAligned(worker, event.timeNs));
                if (event.address != 0 && event.deltaBytes > 0)
                    allocatedAt[event.address] = ns;
                else if (const auto allocated = allocatedAt.find(event.address);
                         allocated != allocatedAt.end())
                    ns = std::max(ns, allocated->second);
                deltas.push_back({ ns, event.deltaBytes });
            }
            std::stable_sort(deltas.begin(), deltas.end(),
                             [](const Delta &a, const Delta &b) { return a.timeNs < b.timeNs; });
            return peakOf(m_startBytes, deltas);
        }

    private:
        std::int64_t m_startBytes;
        Events m_events;
    };

    /// The part of a worker's recording that is replayed; raw clock.
    std::map<WorkerId, TimeRange> replayedWindows(const Trace &trace)
    {
        std::map<WorkerId, TimeRange> windows;
        for (const Iteration &iteration : trace.compared.iterations) {
            const auto [window, isFirst] = windows.emplace(iteration.worker, iteration.range);
            window->second.endNs = std::max(window->second.endNs, iteration.range.endNs);
        }
        return windows;
    }

    /// Whether the sizes of allocations are other than recorded with the strategy.
    std::optional<std::string> sizeObstacle(const Prediction &result)
    {
        for (const Change &change : result.strategy.changes)
            if (const ChangeKind *const kind = kindOf(change.key))
                if (auto obstacle = kind->memoryObstacle(change, *result.graph))
                    return obstacle;
        return std::nullopt;
    }

    /// What is found out rank by rank.
    class PeakSearch
    {
    public:
        PeakSearch(const Trace &trace, const Graph &measured, const Prediction &result)
            : m_trace(trace)
            , m_graph(measured)
            , m_measured(measured)
            , m_replayed(*result.graph)
            , m_result(result)
            , m_windows(replayedWindows(trace))
            , m_isAccelerated(acceleratedWorkers(measured))
        {
            m_found.notPredicted = sizeObstacle(result);
        }

        void add(const Worker &worker, const std::vector<MemoryEvent> &events)
        {
            const auto window = m_windows.find(worker.id);
            if (window == m_windows.end())
                return; // it has no iteration that is replayed
            const auto devices = countedEvents(worker.id, events);
            if (devices.empty()) {
                m_found.ranksWithout.push_back(worker.rank);
                return;
            }
            const std::size_t before = m_found.devices.size();
            const ReplayedHostTime host(m_measured, m_replayed, *m_result.replay, worker.id);
            for (const auto &[device, ofDevice] : devices)
                addDevice(worker, device, DeviceEvents { ofDevice, window->second }, host);
            if (m_found.devices.size() == before)
                m_found.ranksWithout.push_back(worker.rank);
        }

        PeakMemory take()
        {
            const auto less = [](const MemoryPeak &a, const MemoryPeak &b) {
                return std::tie(a.rank, a.device) < std::tie(b.rank, b.device);
            };
            std::sort(m_found.devices.begin(), m_found.devices.end(), less);
            std::sort(m_found.ranksWithout.begin(), m_found.ranksWithout.end());
            if (m_found.devices.empty()) {
                m_found.unknown = m_lacksTotals ? withoutTotals(m_graph)
                    : m_hasOnlyHost             ? onlyHostRecorded(m_graph)
                                                : nothingRecorded(m_graph);
                m_found.notPredicted.reset();
                m_found.ranksWithout.clear();
            }
            return std::move(m_found);
        }

    private:
        struct DeviceEvents
        {
            const Events &events;
            TimeRange window;
        };

        /// A rank with accelerators is limited by their memory, any other by the host's.
        std::map<std::optional<int>, Events> countedEvents(WorkerId worker,
                                                           const std::vector<MemoryEvent> &events)
        {
            std::map<std::optional<int>, Events> devices;
            for (const MemoryEvent &event : events)
                if (event.device || !m_isAccelerated[worker.value])
                    devices[event.device].push_back(event);
            if (devices.size() > 1)
                devices.erase(std::nullopt);
            m_hasOnlyHost = m_hasOnlyHost || (devices.empty() && !events.empty());
            return devices;
        }

        void addDevice(const Worker &worker, std::optional<int> device, DeviceEvents recorded,
                       const ReplayedHostTime &host)
        {
            const std::optional<std::int64_t> before = allocatedBefore(recorded.events);
            if (!before) {
                m_lacksTotals = true;
                return;
            }
            const DeviceWalk walk(recorded.events, recorded.window, *before);
            MemoryPeak peak { worker.rank,         device,      walk.count(), walk.startBytes(),
                              walk.measuredPeak(), std::nullopt };
            if (!host.isKnown() && !m_found.notPredicted)
                m_found.notPredicted = NoHostOps;
            if (!m_found.notPredicted)
                peak.predictedBytes = walk.replayedPeak(host, m_trace, worker.id);
            m_found.devices.push_back(peak);
        }

        const Trace &m_trace;
        const Graph &m_graph;
        HostOps m_measured, m_replayed;
        const Prediction &m_result;
        std::map<WorkerId, TimeRange> m_windows;
        std::vector<bool> m_isAccelerated;
        PeakMemory m_found;
        bool m_hasOnlyHost = false, m_lacksTotals = false;
    };

} // namespace

std::optional<std::uint64_t> PeakMemory::measuredBytes() const
{
    std::optional<std::uint64_t> largest;
    for (const MemoryPeak &peak : devices)
        largest = std::max(largest.value_or(0), peak.measuredBytes);
    return largest;
}

std::optional<std::uint64_t> PeakMemory::predictedBytes() const
{
    std::optional<std::uint64_t> largest;
    for (const MemoryPeak &peak : devices) {
        if (!peak.predictedBytes)
            return std::nullopt;
        largest = std::max(largest.value_or(0), *peak.predictedBytes);
    }
    return largest;
}

PeakMemory peakMemory(const Trace &trace, const Graph &measured, const Prediction &result,
                      const MemoryEventsOf &eventsOf, const JobControl &control)
{
    PeakSearch search(trace, measured, result);
    for (const Worker &worker : trace.workers) {
        throwIfCancelled(control);
        search.add(worker, eventsOf(worker.id));
    }
    return search.take();
}

} // namespace core
