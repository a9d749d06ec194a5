#include "core/bundle/natural_order.h"

#include <algorithm>
#include <cstddef>

namespace core {

namespace {

    bool isDigit(char c)
    {
        return c >= '0' && c <= '9';
    }

    /// Takes the run of digits or the run of other characters at the front.
    std::string_view takeRun(std::string_view &text)
    {
        const bool digits = isDigit(text.front());
        const auto end = std::find_if(text.begin(), text.end(),
                                      [digits](char c) { return isDigit(c) != digits; });
        const auto size = static_cast<std::size_t>(end - text.begin());
        const std::string_view run = text.substr(0, size);
        text.remove_prefix(size);
        return run;
    }

    int compareNumbers(std::string_view left, std::string_view right)
    {
        left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
        right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
        if (left.size() != right.size())
            return left.size() < right.size() ? -1 : 1;
        return left.compare(right);
    }

} // namespace

bool comesBefore(std::string_view left, std::string_view right)
{
    const std::string_view wholeLeft = left;
    const std::string_view wholeRight = right;
    while (!left.empty() && !right.empty()) {
        const bool bothNumbers = isDigit(left.front()) && isDigit(right.front());
        const std::string_view a = takeRun(left);
        const std::string_view b = takeRun(right);
        const int order = bothNumbers ? compareNumbers(a, b) : a.compare(b);
        if (order != 0)
            return order < 0;
    }
    if (left.empty() != right.empty())
        return left.empty();
    return wholeLeft < wholeRight;
}

} // namespace core
