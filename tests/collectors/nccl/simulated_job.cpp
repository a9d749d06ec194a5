#include "tests/collectors/nccl/simulated_job.h"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace tests {

namespace {

    struct Work
    {
        void *allReduce = nullptr; ///< nullptr: an exchange
        SimulatedRank::Exchange exchange;
    };

    /// From the thread that enqueues to the proxy's.
    class WorkQueue
    {
    public:
        void push(const Work &work)
        {
            const std::lock_guard lock(m_mutex);
            m_work.push_back(work);
            m_changed.notify_one();
        }
        void end()
        {
            const std::lock_guard lock(m_mutex);
            m_hasEnded = true;
            m_changed.notify_one();
        }
        std::optional<Work> pop()
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_hasEnded || !m_work.empty(); });
            if (m_work.empty())
                return std::nullopt;
            const Work work = m_work.front();
            m_work.pop_front();
            return work;
        }

    private:
        std::mutex m_mutex;
        std::condition_variable m_changed;
        std::deque<Work> m_work;
        bool m_hasEnded = false;
    };

    void enqueueAll(SimulatedRank &rank, const SimulatedJob &job, WorkQueue &queue)
    {
        for (int i = 0; i < job.allReduces; ++i) {
            if (job.pauseUs > 0)
                usleep(job.pauseUs);
            queue.push({ rank.enqueueAllReduce(), {} });
            if (job.hasExchanges)
                queue.push({ nullptr, rank.enqueueExchange() });
        }
        queue.end();
    }

    void progressAll(const SimulatedRank &rank, const std::function<void(int)> &onAllReduce,
                     WorkQueue &queue)
    {
        int done = 0;
        while (const auto work = queue.pop()) {
            if (work->allReduce == nullptr) {
                rank.progressExchange(work->exchange);
                continue;
            }
            rank.progressAllReduce(work->allReduce);
            ++done;
            if (onAllReduce)
                onAllReduce(done);
        }
    }

} // namespace

void runSimulatedJob(LoadedPlugin &plugin, const SimulatedJob &job)
{
    std::vector<std::unique_ptr<SimulatedRank>> ranks;
    std::deque<WorkQueue> queues;
    std::vector<std::thread> threads;
    for (int number = job.firstRank; number <= job.lastRank; ++number)
        ranks.push_back(
            std::make_unique<SimulatedRank>(plugin, job.communicator, number, job.shape));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        SimulatedRank &rank = *ranks[i];
        WorkQueue &queue = queues.emplace_back();
        threads.emplace_back([&] { enqueueAll(rank, job, queue); });
        const auto onAllReduce = i == 0 ? job.onAllReduce : nullptr;
        threads.emplace_back([&, onAllReduce] { progressAll(rank, onAllReduce, queue); });
    }
    for (std::thread &thread : threads)
        thread.join();
    for (const auto &rank : ranks)
        rank->finalize();
}

} // namespace tests
