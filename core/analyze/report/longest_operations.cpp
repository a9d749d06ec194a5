#include "core/analyze/report/longest_operations.h"

#include "core/model/compared_iterations.h"
#include "core/model/device_iterations.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

    /// The same name may compute and communicate.
    using OperationKey = std::uint64_t;

    OperationKey keyOf(NameId name, DeviceWorkKind kind)
    {
        return (OperationKey { name.value } << 2U) | static_cast<OperationKey>(kind);
    }
    NameId nameOf(OperationKey key)
    {
        return NameId(static_cast<std::uint32_t>(key >> 2U));
    }
    DeviceWorkKind kindOf(OperationKey key)
    {
        return static_cast<DeviceWorkKind>(key & 3U);
    }

    /// Of one rank, over its compared iterations.
    struct OwnTime
    {
        struct OfIteration
        {
            std::size_t iteration;
            double ns;
        };

        std::vector<OfIteration> parts; ///< by track; several of an iteration where it goes on
        std::size_t count = 0;

        /// Returns where it was added.
        std::size_t add(std::size_t iteration, double ns)
        {
            ++count;
            if (parts.empty() || parts.back().iteration != iteration)
                parts.push_back({ iteration, ns });
            else
                parts.back().ns += ns;
            return parts.size() - 1;
        }

        double ns() const
        {
            return std::accumulate(
                parts.begin(), parts.end(), 0.0,
                [](double sum, const OfIteration &part) { return sum + part.ns; });
        }

        /// Of the time in one of `iterations`, two and more; those without it count as 0.
        double variance(std::size_t iterations)
        {
            std::sort(parts.begin(), parts.end(),
                      [](const auto &a, const auto &b) { return a.iteration < b.iteration; });
            const auto all = static_cast<double>(iterations);
            const double meanNs = ns() / all;
            double squares = 0, without = all;
            for (std::size_t i = 0; i < parts.size();) {
                double sumNs = 0;
                const std::size_t iteration = parts[i].iteration;
                for (; i < parts.size() && parts[i].iteration == iteration; ++i)
                    sumNs += parts[i].ns;
                squares += (sumNs - meanNs) * (sumNs - meanNs);
                --without;
            }
            return (squares + without * meanNs * meanNs) / (all - 1);
        }
    };
    using OwnTimes = std::unordered_map<OperationKey, OwnTime>;

    /// Of all ranks that have it.
    struct RankSums
    {
        double ns = 0, count = 0, iterationNs = 0; ///< of each rank's mean iteration
        double variance = 0; ///< of those ranks that have two iterations
        std::size_t ranks = 0, ranksWithVariance = 0;
        double leastNs = 0, mostNs = 0;
        int leastRank = 0, mostRank = 0;

        void add(int rank, double ownNs, double ownCount, double meanIterationNs)
        {
            if (ranks == 0 || ownNs < leastNs) {
                leastNs = ownNs;
                leastRank = rank;
            }
            if (ranks == 0 || ownNs > mostNs) {
                mostNs = ownNs;
                mostRank = rank;
            }
            ns += ownNs;
            count += ownCount;
            iterationNs += meanIterationNs;
            ++ranks;
        }
    };

    /// Adds up what operations on one track take without those that they call.
    class TrackTimes
    {
    public:
        TrackTimes(const SliceColumns &slices, OwnTimes &times)
            : m_slices(slices)
            , m_times(times)
        {
        }

        /// In the order of the rows. `iteration`: that it begins in, if that one counts.
        void add(std::size_t row, DeviceWorkKind kind, std::optional<std::size_t> iteration)
        {
            const std::int64_t endNs = m_slices.endNs(row);
            while (!m_open.empty() && m_open.back().endNs <= m_slices.startNs[row])
                m_open.pop_back();
            const auto ns = static_cast<double>(m_slices.durationNs[row]);
            if (!m_open.empty() && endNs <= m_open.back().endNs && m_open.back().time != nullptr)
                m_open.back().time->parts[m_open.back().part].ns -= ns;
            OwnTime *time = iteration ? &m_times[keyOf(m_slices.name[row], kind)] : nullptr;
            m_open.push_back({ endNs, time, time != nullptr ? time->add(*iteration, ns) : 0 });
        }

    private:
        struct Open
        {
            std::int64_t endNs;
            OwnTime *time; ///< null: not counted
            std::size_t part; ///< of its time
        };

        const SliceColumns &m_slices;
        OwnTimes &m_times;
        std::vector<Open> m_open; ///< the innermost last
    };

    /// The compared iterations of each worker by WorkerId, in its raw clock, by start.
    std::vector<std::vector<TimeRange>> comparedRanges(const Trace &trace, const DeviceWork &work)
    {
        const NumbersOfWorkers compared = comparedNumbers(trace);
        std::vector<bool> isAccelerated(trace.workers.size(), false);
        for (std::size_t t = 0; t < trace.tracks.size(); ++t)
            if (const auto &place = work.placeOf(t); place && place->device)
                isAccelerated[trace.tracks[t].worker.value] = true;
        const std::vector<TimeRange> onDevice = deviceIterationRanges(trace);
        std::vector<std::vector<TimeRange>> ranges(trace.workers.size());
        for (std::size_t i = 0; i < trace.iterations.size(); ++i) {
            const Iteration &iteration = trace.iterations[i];
            if (compared.contains({ iteration.worker, iteration.index }))
                ranges[iteration.worker.value].push_back(
                    isAccelerated[iteration.worker.value] ? onDevice[i] : iteration.range);
        }
        for (std::vector<TimeRange> &own : ranges)
            std::sort(own.begin(), own.end(),
                      [](const TimeRange &a, const TimeRange &b) { return a.startNs < b.startNs; });
        return ranges;
    }

    class OperationSums
    {
    public:
        OperationSums(const Trace &trace, const JobControl &control)
            : m_trace(trace)
            , m_control(control)
            , m_work(trace)
            , m_ranges(comparedRanges(trace, m_work))
            , m_tracks(trace.workers.size())
        {
            for (std::size_t t = 0; t < trace.tracks.size(); ++t)
                if (m_work.placeOf(t))
                    m_tracks[trace.tracks[t].worker.value].push_back(t);
        }

        /// One rank after the other: all names of thousands of ranks would take gigabytes.
        std::unordered_map<OperationKey, RankSums> find()
        {
            for (const Worker &worker : m_trace.workers)
                addWorker(worker);
            return std::move(m_sums);
        }

    private:
        void addWorker(const Worker &worker)
        {
            const std::vector<TimeRange> &ranges = m_ranges[worker.id.value];
            if (ranges.empty())
                return;
            double rangesNs = 0;
            for (const TimeRange &range : ranges)
                rangesNs += static_cast<double>(range.durationNs());
            OwnTimes times;
            for (const std::size_t track : m_tracks[worker.id.value])
                addTrack(track, ranges, times);
            const auto count = static_cast<double>(ranges.size());
            for (auto &[key, own] : times) {
                RankSums &sums = m_sums[key];
                sums.add(worker.rank, own.ns() / count, static_cast<double>(own.count) / count,
                         rangesNs / count);
                if (ranges.size() > 1) {
                    sums.variance += own.variance(ranges.size());
                    ++sums.ranksWithVariance;
                }
            }
        }

        void addTrack(std::size_t track, const std::vector<TimeRange> &ranges, OwnTimes &times)
        {
            const SliceColumns &slices = m_trace.slices[track];
            TrackTimes own(slices, times);
            auto range = ranges.begin();
            for (std::size_t row = 0; row < slices.size(); ++row) {
                if (row % PollRows == 0)
                    throwIfCancelled(m_control);
                const std::int64_t startNs = slices.startNs[row];
                while (range != ranges.end() && range->endNs <= startNs)
                    ++range;
                const bool isWithin = range != ranges.end() && range->startNs <= startNs;
                if (const auto kind = m_work.kindOf(track, row))
                    own.add(row, *kind,
                            isWithin ? std::optional<std::size_t>(range - ranges.begin())
                                     : std::nullopt);
            }
        }

        static constexpr std::size_t PollRows = 4096;

        const Trace &m_trace;
        const JobControl &m_control;
        const DeviceWork m_work;
        std::vector<std::vector<TimeRange>> m_ranges; ///< by WorkerId
        std::vector<std::vector<std::size_t>> m_tracks; ///< of devices' work, by WorkerId
        std::unordered_map<OperationKey, RankSums> m_sums;
    };

    OperationTime timeOf(OperationKey key, const RankSums &sums, const Trace &trace)
    {
        OperationTime time;
        const auto ranks = static_cast<double>(sums.ranks);
        time.name = trace.nameOf(nameOf(key));
        time.kind = kindOf(key);
        time.ranks = sums.ranks;
        time.count = sums.count / ranks;
        time.ns = std::llround(sums.ns / ranks);
        time.share = sums.iterationNs > 0 ? sums.ns / sums.iterationNs : 0;
        time.meanNs = std::llround(sums.ns / sums.count);
        if (sums.ranksWithVariance > 0)
            time.deviationNs = std::llround(
                std::sqrt(sums.variance / static_cast<double>(sums.ranksWithVariance)));
        time.leastRank = sums.leastRank;
        time.mostRank = sums.mostRank;
        time.leastNs = std::llround(sums.leastNs);
        time.mostNs = std::llround(sums.mostNs);
        return time;
    }

} // namespace

LongestOperations longestOperations(const Trace &trace, const JobControl &control)
{
    const std::unordered_map<OperationKey, RankSums> sums = OperationSums(trace, control).find();
    std::vector<const std::pair<const OperationKey, RankSums> *> longest;
    longest.reserve(sums.size());
    for (const auto &entry : sums)
        longest.push_back(&entry);
    const std::size_t kept = std::min(longest.size(), MostLongestOperations);
    std::partial_sort(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(kept),
                      longest.end(), [](const auto *a, const auto *b) {
                          return a->second.ns != b->second.ns ? a->second.ns > b->second.ns
                                                              : a->first < b->first;
                      });
    LongestOperations result;
    result.names = sums.size();
    result.operations.reserve(kept);
    for (std::size_t i = 0; i < kept; ++i)
        result.operations.push_back(timeOf(longest[i]->first, longest[i]->second, trace));
    return result;
}

} // namespace core
