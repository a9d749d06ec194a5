#include "core/graph/build/schedule_times.h"

#include <queue>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace core {

namespace {

    class TransferServer
    {
    public:
        TransferServer(const CollectiveSchedule &schedule, std::span<const double> cost)
            : m_schedule(schedule)
            , m_cost(cost)
            , m_missing(schedule.transfers.size())
            , m_next(schedule.transfers.size())
        {
            const std::size_t size = schedule.transfers.size();
            m_times.start.resize(size);
            m_times.end.resize(size);
            m_times.before.resize(size);
            for (std::uint32_t i = 0; i < size; ++i) {
                m_missing[i] = schedule.predOffset[i + 1] - schedule.predOffset[i];
                for (std::uint32_t k = schedule.predOffset[i]; k < schedule.predOffset[i + 1]; ++k)
                    m_next[schedule.preds[k]].push_back(i);
            }
        }

        ScheduleTimes serve()
        {
            for (std::uint32_t i = 0; i < m_missing.size(); ++i)
                if (m_missing[i] == 0)
                    become(i);
            startWaiting(0);
            while (!m_ends.empty()) {
                const double now = m_ends.top().first;
                // What ends now releases others first, so that the lowest of them goes on.
                do {
                    finish(m_ends.top().second);
                    m_ends.pop();
                } while (!m_ends.empty() && m_ends.top().first == now);
                startWaiting(now);
            }
            return std::move(m_times);
        }

    private:
        struct End
        {
            std::vector<std::uint32_t> waiting; ///< in the order of readiness
            std::size_t taken = 0;
            std::uint32_t last = 0;
            bool isBusy = false, isUsed = false;
        };

        void become(std::uint32_t transfer)
        {
            End &end = m_linkEnds[linkEndOf(m_schedule.transfers[transfer])];
            end.waiting.push_back(transfer);
            m_changed.push_back(&end);
        }

        void finish(std::uint32_t transfer)
        {
            End &end = m_linkEnds[linkEndOf(m_schedule.transfers[transfer])];
            end.isBusy = false;
            m_changed.push_back(&end);
            for (const std::uint32_t next : m_next[transfer])
                if (--m_missing[next] == 0)
                    become(next);
        }

        void startWaiting(double now)
        {
            for (End *end : m_changed)
                if (!end->isBusy && end->taken < end->waiting.size())
                    start(*end, now);
            m_changed.clear();
        }

        void start(End &end, double now)
        {
            const std::uint32_t transfer = end.waiting[end.taken++];
            m_times.order.push_back(transfer);
            m_times.start[transfer] = now;
            m_times.end[transfer] = now + m_cost[transfer];
            m_times.makespan = std::max(m_times.makespan, m_times.end[transfer]);
            m_times.before[transfer] = end.isUsed ? end.last : transfer;
            end.last = transfer;
            end.isBusy = end.isUsed = true;
            m_ends.emplace(m_times.end[transfer], transfer);
        }

        const CollectiveSchedule &m_schedule;
        std::span<const double> m_cost;
        std::vector<std::uint32_t> m_missing; ///< by transfer: of those that it needs
        std::vector<std::vector<std::uint32_t>> m_next; ///< by transfer: those that need it
        std::map<LinkEnd, End> m_linkEnds;
        std::vector<End *> m_changed; ///< at this time
        using Entry = std::pair<double, std::uint32_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_ends;
        ScheduleTimes m_times;
    };

} // namespace

LinkEnd linkEndOf(const ChunkTransfer &transfer)
{
    return transfer.isHeldByReceiver ? LinkEnd { transfer.to, true }
                                     : LinkEnd { transfer.from, false };
}

ScheduleTimes scheduleTimes(const CollectiveSchedule &schedule, std::span<const double> cost)
{
    return TransferServer(schedule, cost).serve();
}

} // namespace core
