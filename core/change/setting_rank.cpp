#include "core/change/setting_rank.h"

#include "core/base/error.h"
#include "core/base/ranks_text.h"

#include <algorithm>
#include <string>

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

} // namespace

const Worker &workerOfSetting(const Trace &trace, std::string_view key, int rank)
{
    const auto worker = std::find_if(trace.workers.begin(), trace.workers.end(),
                                     [rank](const Worker &w) { return w.rank == rank; });
    if (worker == trace.workers.end())
        throw Error(std::string(key) + ":" + std::to_string(rank)
                    + ": the project has no such rank. Its ranks: " + rankList(trace)
                    + ". Take one of these, also where world_size asks for more ranks.");
    return *worker;
}

std::string settingRanksText(const std::vector<int> &ranks)
{
    std::string text = rankNumbersText(ranks);
    std::erase(text, ' ');
    return text;
}

} // namespace core
