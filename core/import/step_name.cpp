#include "core/import/step_name.h"

#include "core/base/ascii_text.h"
#include "core/import/text/decimal_time.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::array Words = { std::string_view("profilerstep"), std::string_view("iteration"),
                                   std::string_view("iter"),         std::string_view("trainstep"),
                                   std::string_view("trainingstep"), std::string_view("globalstep"),
                                   std::string_view("step"),         std::string_view("trainbatch"),
                                   std::string_view("batch") };
    constexpr std::size_t LongestStepName = 64;

} // namespace

std::optional<StepName> stepName(std::string_view name)
{
    if (name.size() > LongestStepName)
        return std::nullopt;
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const std::optional<std::int64_t> number = integerFrom(name.substr(digits));
    if (!number)
        return std::nullopt;
    StepName step;
    step.number = *number;
    constexpr std::string_view Separators = " _-#:=/";
    for (const char c : name.substr(0, digits)) {
        if (Separators.find(c) == std::string_view::npos)
            step.word += lowered(c);
    }
    if (std::find(Words.begin(), Words.end(), step.word) == Words.end())
        return std::nullopt;
    return step;
}

int stepPriority(std::string_view word)
{
    return static_cast<int>(std::find(Words.begin(), Words.end(), word) - Words.begin());
}

} // namespace core
