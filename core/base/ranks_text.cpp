#include "core/base/ranks_text.h"

#include "core/base/duration_text.h"

#include <algorithm>
#include <cstddef>

namespace core {

namespace {

    constexpr std::size_t MostListedNumbers = 4;

    /// How far apart all of them are; 0 where that differs.
    std::int64_t strideOf(const std::vector<std::int64_t> &numbers)
    {
        if (numbers.size() < 2)
            return 0;
        const std::int64_t stride = numbers[1] - numbers[0];
        for (std::size_t i = 2; i < numbers.size(); ++i)
            if (numbers[i] - numbers[i - 1] != stride)
                return 0;
        return stride;
    }

} // namespace

std::string numbersText(const std::string &noun, const std::vector<std::int64_t> &numbers)
{
    if (numbers.empty())
        return noun + "s not known";
    if (numbers.size() == 1)
        return noun + " " + std::to_string(numbers.front());
    const std::int64_t stride = strideOf(numbers);
    const std::string last = std::to_string(numbers.back());
    if (stride == 1)
        return noun + "s " + std::to_string(numbers.front()) + "-" + last;
    if (stride > 1 && numbers.size() > MostListedNumbers)
        return noun + "s " + std::to_string(numbers[0]) + ", " + std::to_string(numbers[1])
            + " ... " + last;
    std::string text = noun + "s " + std::to_string(numbers.front());
    for (std::size_t i = 1; i < std::min(numbers.size(), MostListedNumbers); ++i)
        text += ", " + std::to_string(numbers[i]);
    if (numbers.size() > MostListedNumbers)
        text += " and " + countText(numbers.size() - MostListedNumbers, "other");
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

std::string ranksText(const std::vector<int> &ranks)
{
    return numbersText("rank", { ranks.begin(), ranks.end() });
}

} // namespace core
