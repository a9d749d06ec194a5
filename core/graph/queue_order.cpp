#include "core/graph/queue_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace core {

namespace {

    /// Of the iteration with most tensors: which is complete last, last but one, and so on.
    std::map<std::string_view, std::int32_t>
    tensorPriorities(const std::vector<QueuedTransfer> &transfers)
    {
        using FirstReady = std::map<std::string_view, std::int64_t>;
        std::map<std::int32_t, FirstReady> readyNs;
        for (const QueuedTransfer &transfer : transfers) {
            const auto [entry, isNew]
                = readyNs[transfer.iteration].emplace(transfer.tensor, transfer.readyNs);
            entry->second = std::min(entry->second, transfer.readyNs);
        }
        const auto fullest
            = std::max_element(readyNs.begin(), readyNs.end(), [](const auto &a, const auto &b) {
                  return a.second.size() < b.second.size();
              });
        std::map<std::string_view, std::int32_t> priorities;
        if (fullest == readyNs.end())
            return priorities;
        std::vector<std::pair<std::int64_t, std::string_view>> order;
        for (const auto &[tensor, ns] : fullest->second)
            order.push_back({ ns, tensor });
        std::sort(order.rbegin(), order.rend());
        for (const auto &entry : order)
            priorities.emplace(entry.second, static_cast<std::int32_t>(priorities.size()));
        return priorities;
    }

} // namespace

QueueOrder queueOrder(const std::vector<QueuedTransfer> &transfers)
{
    QueueOrder order;
    const auto priorities = tensorPriorities(transfers);
    for (const QueuedTransfer &transfer : transfers) {
        const auto known = priorities.find(transfer.tensor);
        order.priorities.push_back(known == priorities.end()
                                       ? static_cast<std::int32_t>(priorities.size())
                                       : known->second);
    }
    std::vector<std::size_t> byStart(transfers.size());
    std::iota(byStart.begin(), byStart.end(), std::size_t { 0 });
    std::sort(byStart.begin(), byStart.end(), [&transfers](std::size_t a, std::size_t b) {
        return std::tie(transfers[a].startNs, a) < std::tie(transfers[b].startNs, b);
    });
    // What starts next after `chosen` was passed over if it was ready before `chosen` started.
    std::size_t agreeing[2] = { 0, 0 };
    for (std::size_t i = 0; i + 1 < byStart.size(); ++i) {
        const std::size_t chosen = byStart[i], next = byStart[i + 1];
        const bool isPassedOver = transfers[next].readyNs < transfers[chosen].startNs
            && transfers[next].tensor != transfers[chosen].tensor;
        if (!isPassedOver)
            continue;
        agreeing[0] += transfers[chosen].readyNs <= transfers[next].readyNs ? 1 : 0;
        agreeing[1] += order.priorities[chosen] <= order.priorities[next] ? 1 : 0;
    }
    order.isByPriority = agreeing[1] > agreeing[0];
    return order;
}

} // namespace core
