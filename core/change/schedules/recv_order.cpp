#include "core/change/schedules/recv_order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace core {

namespace {

    constexpr double NoTime = std::numeric_limits<double>::infinity();

    /// P and M+ of a recv (TicTac section 4.1).
    struct RecvProperties
    {
        double alone = 0; ///< P
        double withOthers = NoTime; ///< M+
    };

    /// TicTac's algorithm 1 over the recvs that are outstanding, which are taken one by one.
    class OutstandingRecvs
    {
    public:
        explicit OutstandingRecvs(const RecvModel &model)
            : m_model(model)
            , m_needs(model.ops.size())
            , m_isOutstanding(model.recvTimes.size(), 1)
        {
        }

        bool isOutstanding(std::size_t recv) const { return m_isOutstanding[recv] != 0; }
        void take(std::size_t recv) { m_isOutstanding[recv] = 0; }

        /// Properties by recv. An op's needs are known from the op that it is after; the least time
        /// of what needs a recv comes from behind, as all that is after an op needs its recvs.
        std::vector<RecvProperties> properties()
        {
            std::vector<RecvProperties> properties(m_model.recvTimes.size());
            for (std::size_t op = 0; op < m_needs.size(); ++op) {
                m_needs[op] = needsOf(m_model.ops[op]);
                if (m_needs[op].count == 1)
                    properties[m_needs[op].last].alone += m_model.ops[op].time;
            }
            for (std::size_t op = m_needs.size(); op-- > 0;) {
                const RecvModel::Op &one = m_model.ops[op];
                const double leastTime = m_needs[op].leastTime;
                for (const std::size_t recv : one.recvs)
                    properties[recv].withOthers = std::min(properties[recv].withOthers, leastTime);
                if (one.after != RecvModel::NoOther)
                    m_needs[one.after].leastTime
                        = std::min(m_needs[one.after].leastTime, leastTime);
            }
            return properties;
        }

    private:
        /// The outstanding recvs of an op.
        struct Needs
        {
            double time = 0;
            std::size_t count = 0, last = 0;
            double leastTime = NoTime; ///< of it and those after it, where these need others, too
        };

        Needs needsOf(const RecvModel::Op &op) const
        {
            Needs needs;
            if (op.after != RecvModel::NoOther)
                needs = m_needs[op.after];
            for (const std::size_t recv : op.recvs)
                if (isOutstanding(recv)) {
                    needs.time += m_model.recvTimes[recv];
                    needs.last = recv;
                    ++needs.count;
                }
            needs.leastTime = needs.count > 1 ? needs.time : NoTime;
            return needs;
        }

        const RecvModel &m_model;
        std::vector<Needs> m_needs; ///< by op
        std::vector<char> m_isOutstanding; ///< by recv
    };

    bool goesBefore(std::size_t a, std::size_t b, const RecvModel &model,
                    const std::vector<RecvProperties> &properties)
    {
        const double first = std::min(properties[b].alone, model.recvTimes[a]);
        const double other = std::min(properties[a].alone, model.recvTimes[b]);
        return first != other ? first < other : properties[a].withOthers < properties[b].withOthers;
    }

    /// None goes before it, or it is of a circle. One walk finds it in an order without ties; a
    /// walk from there looks at those before it again. Some are outstanding.
    std::size_t mostUrgent(const RecvModel &model, OutstandingRecvs &recvs)
    {
        constexpr int MostWalks = 3;
        const std::vector<RecvProperties> properties = recvs.properties();
        std::size_t best = 0;
        while (!recvs.isOutstanding(best))
            ++best;
        bool isBetter = true;
        for (int walk = 0; isBetter && walk < MostWalks; ++walk) {
            isBetter = false;
            for (std::size_t recv = 0; recv < properties.size(); ++recv)
                if (recvs.isOutstanding(recv) && goesBefore(recv, best, model, properties)) {
                    best = recv;
                    isBetter = true;
                }
        }
        return best;
    }

} // namespace

std::vector<std::int32_t> ticPriorities(const RecvModel &model)
{
    RecvModel untimed = model;
    std::fill(untimed.recvTimes.begin(), untimed.recvTimes.end(), 1.0);
    const std::size_t recvs = model.recvTimes.size();
    const std::vector<RecvProperties> properties = OutstandingRecvs(untimed).properties();
    std::vector<std::size_t> order(recvs);
    std::iota(order.begin(), order.end(), std::size_t { 0 });
    std::stable_sort(order.begin(), order.end(), [&properties](std::size_t a, std::size_t b) {
        return properties[a].withOthers < properties[b].withOthers;
    });
    std::vector<std::int32_t> priorities(recvs);
    for (std::size_t i = 0; i < recvs; ++i) {
        const bool isTied
            = i > 0 && properties[order[i]].withOthers == properties[order[i - 1]].withOthers;
        priorities[order[i]] = isTied ? priorities[order[i - 1]] : static_cast<std::int32_t>(i);
    }
    return priorities;
}

std::vector<std::size_t> tacOrder(const RecvModel &model, const JobControl &control)
{
    const std::size_t count = model.recvTimes.size();
    OutstandingRecvs recvs(model);
    std::vector<std::size_t> order;
    order.reserve(count);
    while (order.size() < count) {
        throwIfCancelled(control);
        control.report(static_cast<double>(order.size()) / static_cast<double>(count), "schedule");
        order.push_back(mostUrgent(model, recvs));
        recvs.take(order.back());
    }
    return order;
}

/// One processor is done earliest if it takes ops in the order in which they become ready.
double recvMakespan(const RecvModel &model, const std::vector<std::size_t> &order)
{
    std::vector<double> endTimes(model.recvTimes.size());
    double time = 0;
    for (const std::size_t recv : order)
        endTimes[recv] = time += model.recvTimes[recv];
    std::vector<std::pair<double, double>> ops; // ready, time
    ops.reserve(model.ops.size());
    for (const RecvModel::Op &op : model.ops) {
        double ready = op.after == RecvModel::NoOther ? 0 : ops[op.after].first;
        for (const std::size_t recv : op.recvs)
            ready = std::max(ready, endTimes[recv]);
        ops.emplace_back(ready, op.time);
    }
    std::stable_sort(ops.begin(), ops.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    double makespan = 0;
    for (const auto &[ready, opTime] : ops)
        makespan = std::max(makespan, ready) + opTime;
    return std::max(makespan, time);
}

} // namespace core
