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

    /// TicTac's algorithm 1 over the recvs that are outstanding.
    std::vector<RecvProperties> propertiesOf(const RecvModel &model,
                                             const std::vector<char> &isOutstanding)
    {
        std::vector<RecvProperties> properties(model.recvTimes.size());
        for (const RecvModel::Op &op : model.ops) {
            double time = 0;
            std::size_t count = 0, last = 0;
            for (const std::size_t recv : op.recvs)
                if (isOutstanding[recv] != 0) {
                    time += model.recvTimes[recv];
                    last = recv;
                    ++count;
                }
            if (count == 1)
                properties[last].alone += op.time;
            for (const std::size_t recv : op.recvs)
                if (count > 1 && isOutstanding[recv] != 0)
                    properties[recv].withOthers = std::min(properties[recv].withOthers, time);
        }
        return properties;
    }

    bool goesBefore(std::size_t a, std::size_t b, const RecvModel &model,
                    const std::vector<RecvProperties> &properties)
    {
        const double first = std::min(properties[b].alone, model.recvTimes[a]);
        const double other = std::min(properties[a].alone, model.recvTimes[b]);
        return first != other ? first < other : properties[a].withOthers < properties[b].withOthers;
    }

    /// None goes before it, or it is of a circle. One walk finds it in an order without ties; a
    /// walk from there looks at those before it again.
    std::size_t mostUrgent(const RecvModel &model, const std::vector<char> &isOutstanding)
    {
        constexpr int MostWalks = 3;
        const std::vector<RecvProperties> properties = propertiesOf(model, isOutstanding);
        const auto firstOutstanding = std::find(isOutstanding.begin(), isOutstanding.end(), 1);
        auto best = static_cast<std::size_t>(firstOutstanding - isOutstanding.begin());
        bool isBetter = true;
        for (int walk = 0; isBetter && walk < MostWalks; ++walk) {
            isBetter = false;
            for (std::size_t recv = 0; recv < isOutstanding.size(); ++recv)
                if (isOutstanding[recv] != 0 && goesBefore(recv, best, model, properties)) {
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
    const std::vector<RecvProperties> properties
        = propertiesOf(untimed, std::vector<char>(recvs, 1));
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

std::vector<std::size_t> tacOrder(const RecvModel &model)
{
    std::vector<char> isOutstanding(model.recvTimes.size(), 1);
    std::vector<std::size_t> order;
    order.reserve(isOutstanding.size());
    for (std::size_t i = 0; i < isOutstanding.size(); ++i) {
        order.push_back(mostUrgent(model, isOutstanding));
        isOutstanding[order.back()] = 0;
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
        double ready = 0;
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
