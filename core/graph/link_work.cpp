#include "core/graph/link_work.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace core {

namespace {

    constexpr std::uint32_t MostServed = 64; ///< no backend has more threads than cores

    std::vector<std::size_t> orderByStart(const std::vector<TimeRange> &intervals)
    {
        std::vector<std::size_t> order(intervals.size());
        std::iota(order.begin(), order.end(), std::size_t { 0 });
        std::stable_sort(order.begin(), order.end(), [&intervals](std::size_t a, std::size_t b) {
            return intervals[a].startNs < intervals[b].startNs;
        });
        return order;
    }

    /// Serves transfers in the order of their starts, up to `capacity` at once at equal shares.
    class SharedServer
    {
    public:
        SharedServer(const std::vector<TimeRange> &intervals, const std::vector<std::int64_t> &work,
                     std::uint32_t capacity)
            : m_intervals(intervals)
            , m_work(work)
            , m_order(orderByStart(intervals))
            , m_capacity(capacity)
        {
        }

        /// Mean distance of the ends from those of the intervals.
        double errorNs()
        {
            while (m_next < m_order.size() || !m_running.empty()) {
                takeWaiting();
                step();
            }
            return m_error / static_cast<double>(std::max<std::size_t>(1, m_order.size()));
        }

    private:
        struct Running
        {
            std::size_t index;
            double leftNs;
        };

        void takeWaiting()
        {
            if (m_running.empty() && m_next < m_order.size())
                m_nowNs = std::max(m_nowNs, startOf(m_next));
            while (m_running.size() < m_capacity && m_next < m_order.size()
                   && startOf(m_next) <= m_nowNs) {
                const std::size_t index = m_order[m_next++];
                m_running.push_back({ index, static_cast<double>(m_work[index]) });
            }
        }

        /// To the next end, or to the next start if a place is free.
        void step()
        {
            double least = std::numeric_limits<double>::max();
            for (const Running &running : m_running)
                least = std::min(least, running.leftNs);
            const auto count = static_cast<double>(m_running.size());
            double spanNs = least * count;
            if (m_running.size() < m_capacity && m_next < m_order.size())
                spanNs = std::min(spanNs, std::max(0.0, startOf(m_next) - m_nowNs));
            m_nowNs += spanNs;
            for (Running &running : m_running)
                running.leftNs -= spanNs / count;
            std::erase_if(m_running, [this](const Running &running) {
                const bool isDone = running.leftNs < 0.5;
                if (isDone)
                    m_error += std::abs(m_nowNs
                                        - static_cast<double>(m_intervals[running.index].endNs
                                                              - m_intervals[0].startNs));
                return isDone;
            });
        }

        /// From the first interval's, so that differences keep their nanoseconds.
        double startOf(std::size_t position) const
        {
            return static_cast<double>(m_intervals[m_order[position]].startNs
                                       - m_intervals[0].startNs);
        }

        const std::vector<TimeRange> &m_intervals;
        const std::vector<std::int64_t> &m_work;
        std::vector<std::size_t> m_order;
        std::uint32_t m_capacity;
        std::vector<Running> m_running;
        std::size_t m_next = 0;
        double m_nowNs = std::numeric_limits<double>::lowest();
        double m_error = 0;
    };

} // namespace

std::vector<std::int64_t> unsharedWork(const std::vector<TimeRange> &intervals)
{
    std::vector<std::pair<std::int64_t, int>> changes; // of the number under way
    for (const TimeRange &interval : intervals)
        if (!interval.isEmpty()) {
            changes.push_back({ interval.startNs, +1 });
            changes.push_back({ interval.endNs, -1 });
        }
    std::sort(changes.begin(), changes.end());
    std::vector<std::int64_t> atNs;
    std::vector<double> served; // the integral until atNs
    double sum = 0;
    int active = 0;
    for (const auto &[ns, change] : changes) {
        if (active > 0)
            sum += static_cast<double>(ns - atNs.back()) / active;
        atNs.push_back(ns);
        served.push_back(sum);
        active += change;
    }
    const auto servedBy = [&](std::int64_t ns) {
        return served[static_cast<std::size_t>(std::lower_bound(atNs.begin(), atNs.end(), ns)
                                               - atNs.begin())];
    };
    std::vector<std::int64_t> work;
    work.reserve(intervals.size());
    for (const TimeRange &interval : intervals)
        work.push_back(interval.isEmpty()
                           ? 0
                           : std::llround(servedBy(interval.endNs) - servedBy(interval.startNs)));
    return work;
}

std::vector<TimeRange> withHandOver(const std::vector<TimeRange> &intervals,
                                    const std::vector<std::int64_t> &readyNs)
{
    std::vector<TimeRange> extended = intervals;
    const std::vector<std::size_t> order = orderByStart(intervals);
    if (order.empty())
        return extended;
    std::int64_t freeFromNs = intervals[order.front()].startNs; // what was before is not recorded
    for (const std::size_t i : order) {
        TimeRange &range = extended[i];
        if (range.startNs > freeFromNs)
            range.startNs = std::min(range.startNs, std::max(freeFromNs, readyNs[i]));
        freeFromNs = std::max(freeFromNs, range.endNs);
    }
    return extended;
}

std::vector<std::int64_t> workByBytes(const std::vector<TimeRange> &intervals,
                                      const std::vector<std::uint64_t> &bytes)
{
    std::vector<std::int64_t> work(intervals.size(), 0);
    const std::vector<std::size_t> order = orderByStart(intervals);
    for (std::size_t first = 0; first < order.size();) {
        std::int64_t endNs = intervals[order[first]].endNs;
        double sum = 0;
        std::size_t next = first;
        for (; next < order.size() && (next == first || intervals[order[next]].startNs < endNs);
             ++next) {
            endNs = std::max(endNs, intervals[order[next]].endNs);
            sum += static_cast<double>(bytes[order[next]]);
        }
        const auto busyNs = static_cast<double>(endNs - intervals[order[first]].startNs);
        for (; first < next; ++first)
            if (sum > 0)
                work[order[first]]
                    = std::llround(busyNs * static_cast<double>(bytes[order[first]]) / sum);
    }
    return work;
}

std::uint32_t servedAtOnce(const std::vector<TimeRange> &intervals,
                           const std::vector<std::int64_t> &work, std::uint32_t most)
{
    most = std::min(most, MostServed);
    std::uint32_t best = 1;
    double least = std::numeric_limits<double>::max();
    for (std::uint32_t capacity = 1; capacity <= most; ++capacity) {
        const double errorNs = SharedServer(intervals, work, capacity).errorNs();
        if (errorNs < least) {
            least = errorNs;
            best = capacity;
        }
    }
    return best;
}

} // namespace core
