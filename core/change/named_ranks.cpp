#include "core/change/named_ranks.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MostRanksNamed = 16;

    std::string rankList(const Trace &trace)
    {
        std::string list;
        const std::size_t named = std::min(MostRanksNamed, trace.workers.size());
        for (std::size_t i = 0; i < named; ++i)
            list += (i == 0 ? "" : ", ") + std::to_string(trace.workers[i].rank);
        if (named < trace.workers.size())
            list += " and " + std::to_string(trace.workers.size() - named) + " more";
        return list;
    }

    auto find(const Trace &trace, int rank)
    {
        return std::find_if(trace.workers.begin(), trace.workers.end(),
                            [rank](const Worker &worker) { return worker.rank == rank; });
    }

} // namespace

std::optional<std::string> rankObstacle(const Trace &trace, const Change &change)
{
    for (const int rank : change.ranks)
        if (find(trace, rank) == trace.workers.end())
            return "the project has no rank " + std::to_string(rank) + ". Its ranks: "
                + rankList(trace) + ". Take one of these, also where world_size asks for more.";
    return std::nullopt;
}

const Worker &workerOfRank(const Trace &trace, int rank)
{
    return *find(trace, rank);
}

} // namespace core
