#include "core/align/collective_ends/end_collectives.h"

#include <queue>

#include <algorithm>
#include <map>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t MostCollectives = 4096; ///< more are thinned out evenly
    constexpr std::size_t MostParts = 50'000; ///< of all collectives that are kept
    constexpr std::size_t FewestOfGroup = 16; ///< kept of the collectives of the same workers

} // namespace

EndCollectives endCollectives(const ClockEvidence &evidence)
{
    std::map<std::vector<std::size_t>, EndCollectives> byWorkers;
    std::size_t parts = 0, count = 0;
    for (const ObservedCollective &collective : evidence.collectives) {
        if (!collective.endsTogether || collective.parts.size() < 2)
            continue;
        std::vector<std::size_t> workers;
        for (const ObservedPart &part : collective.parts)
            workers.push_back(part.worker);
        byWorkers[std::move(workers)].push_back(&collective);
        parts += collective.parts.size();
        ++count;
    }
    const std::size_t most
        = std::min(MostCollectives, parts > MostParts ? count * MostParts / parts + 1 : count);
    EndCollectives kept;
    for (const auto &entry : byWorkers) {
        const EndCollectives &own = entry.second;
        const std::size_t share = count > most ? own.size() * most / count : own.size();
        const std::size_t wanted = std::min(own.size(), std::max(share, FewestOfGroup));
        for (std::size_t i = 0; i < wanted; ++i)
            kept.push_back(own[i * own.size() / wanted]);
    }
    return kept;
}

std::vector<bool> tiedWorkers(const EndCollectives &collectives, std::size_t workers,
                              std::size_t reference)
{
    std::vector<std::vector<std::size_t>> of(workers);
    for (std::size_t k = 0; k < collectives.size(); ++k)
        for (const ObservedPart &part : collectives[k]->parts)
            of[part.worker].push_back(k);
    std::vector<bool> areTied(workers, false), areSeen(collectives.size(), false);
    std::queue<std::size_t> queue({ reference });
    areTied[reference] = true;
    for (; !queue.empty(); queue.pop())
        for (const std::size_t k : of[queue.front()]) {
            if (areSeen[k])
                continue; // each ties thousands, which all take part in it
            areSeen[k] = true;
            for (const ObservedPart &part : collectives[k]->parts)
                if (!areTied[part.worker]) {
                    areTied[part.worker] = true;
                    queue.push(part.worker);
                }
        }
    return areTied;
}

} // namespace core
