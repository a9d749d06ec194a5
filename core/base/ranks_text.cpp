#include "core/base/ranks_text.h"

#include "core/base/duration_text.h"

#include <algorithm>
#include <cstddef>

namespace core {

namespace {

    constexpr std::size_t MostListedRanks = 4;

    /// How far apart all of them are; 0 where that differs.
    int strideOf(const std::vector<int> &ranks)
    {
        if (ranks.size() < 2)
            return 0;
        const int stride = ranks[1] - ranks[0];
        for (std::size_t i = 2; i < ranks.size(); ++i)
            if (ranks[i] - ranks[i - 1] != stride)
                return 0;
        return stride;
    }

} // namespace

std::string ranksText(const std::vector<int> &ranks)
{
    if (ranks.empty())
        return "ranks not known";
    if (ranks.size() == 1)
        return "rank " + std::to_string(ranks.front());
    const int stride = strideOf(ranks);
    const std::string last = std::to_string(ranks.back());
    if (stride == 1)
        return "ranks " + std::to_string(ranks.front()) + "-" + last;
    if (stride > 1 && ranks.size() > MostListedRanks)
        return "ranks " + std::to_string(ranks[0]) + ", " + std::to_string(ranks[1]) + " ... "
            + last;
    std::string text = "ranks " + std::to_string(ranks.front());
    for (std::size_t i = 1; i < std::min(ranks.size(), MostListedRanks); ++i)
        text += ", " + std::to_string(ranks[i]);
    if (ranks.size() > MostListedRanks)
        text += " and " + countText(ranks.size() - MostListedRanks, "other");
    return text;
}

std::string rankNumbersText(std::vector<int> ranks)
{
    constexpr std::size_t ShortestRun = 3;
    std::sort(ranks.begin(), ranks.end());
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
            ++end;
        if (end - i < ShortestRun)
            end = i + 1;
        text += (text.empty() ? "" : ", ") + std::to_string(ranks[i])
            + (end == i + 1 ? "" : "-" + std::to_string(ranks[end - 1]));
        i = end;
    }
    return text;
}

} // namespace core
