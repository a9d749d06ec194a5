#include "core/graph/build/queue_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace core {

namespace {

    /// The transfers that wait, by what a discipline looks at.
    class Waiting
    {
    public:
        explicit Waiting(const std::vector<QueuedTransfer> &transfers)
            : m_transfers(transfers)
        {
        }
        void add(std::size_t transfer, std::int64_t key) { m_byKey.insert({ key, transfer }); }
        void remove(std::size_t transfer, std::int64_t key) { m_byKey.erase({ key, transfer }); }
        bool isEmpty() const { return m_byKey.empty(); }
        std::string_view nextTensor() const { return m_transfers[m_byKey.begin()->second].tensor; }

    private:
        const std::vector<QueuedTransfer> &m_transfers;
        std::set<std::pair<std::int64_t, std::size_t>> m_byKey;
    };

    /// Of what waits whenever a transfer starts, the two disciplines take different tensors or the
    /// same: how often the queue did as the one or the other where they differ.
    struct Choices
    {
        std::size_t byReadiness = 0, byPriority = 0;
    };

    Choices choicesOf(const std::vector<QueuedTransfer> &transfers,
                      const std::vector<std::int32_t> &priorities)
    {
        std::vector<std::size_t> byStart(transfers.size());
        std::iota(byStart.begin(), byStart.end(), std::size_t { 0 });
        std::vector<std::size_t> byReady = byStart;
        std::sort(byStart.begin(), byStart.end(), [&transfers](std::size_t a, std::size_t b) {
            return std::tie(transfers[a].startNs, a) < std::tie(transfers[b].startNs, b);
        });
        std::sort(byReady.begin(), byReady.end(), [&transfers](std::size_t a, std::size_t b) {
            return std::tie(transfers[a].readyNs, a) < std::tie(transfers[b].readyNs, b);
        });
        Choices choices;
        Waiting first(transfers), urgent(transfers);
        std::vector<bool> hasStarted(transfers.size(), false);
        auto next = byReady.begin();
        for (const std::size_t chosen : byStart) {
            for (; next != byReady.end() && transfers[*next].readyNs < transfers[chosen].startNs;
                 ++next)
                if (!hasStarted[*next]) {
                    first.add(*next, transfers[*next].readyNs);
                    urgent.add(*next, priorities[*next]);
                }
            if (!first.isEmpty() && first.nextTensor() != urgent.nextTensor()) {
                choices.byReadiness += transfers[chosen].tensor == first.nextTensor() ? 1 : 0;
                choices.byPriority += transfers[chosen].tensor == urgent.nextTensor() ? 1 : 0;
            }
            hasStarted[chosen] = true;
            first.remove(chosen, transfers[chosen].readyNs);
            urgent.remove(chosen, priorities[chosen]);
        }
        return choices;
    }

} // namespace

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
    const Choices choices = choicesOf(transfers, order.priorities);
    order.isByPriority = choices.byPriority > choices.byReadiness;
    return order;
}

} // namespace core
