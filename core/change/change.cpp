#include "core/change/change.h"

#include "core/base/ranks_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace core {

namespace {

    /// Whole numbers with all of their digits: nobody sets 1e+11 bytes.
    std::string textOf(double value)
    {
        constexpr double LargestPlain = 1e15;
        std::array<char, 32> text {};
        char *const end = text.data() + text.size();
        const bool isPlain = value == std::floor(value) && std::abs(value) < LargestPlain;
        const auto written = isPlain
            ? std::to_chars(text.data(), end, static_cast<std::int64_t>(value))
            : std::to_chars(text.data(), end, value, std::chars_format::general, 10);
        return { text.data(), written.ptr };
    }

} // namespace

std::string Change::name() const
{
    if (ranks.empty())
        return key;
    return key + ":" + changedRanksText(ranks);
}

std::string changedRanksText(const std::vector<int> &ranks)
{
    std::string text = rankNumbersText(ranks);
    std::erase(text, ' ');
    return text;
}

std::string Change::valueText() const
{
    const double *const number = std::get_if<double>(&value);
    return number != nullptr ? textOf(*number) : std::get<std::string>(value);
}

std::optional<double> Change::number() const
{
    const double *const number = std::get_if<double>(&value);
    return number != nullptr ? std::optional(*number) : std::nullopt;
}

const Change *Strategy::find(std::string_view key) const
{
    const auto found = std::find_if(changes.begin(), changes.end(), [key](const Change &change) {
        return change.key == key && change.ranks.empty();
    });
    return found == changes.end() ? nullptr : &*found;
}

bool Strategy::has(std::string_view key) const
{
    return std::any_of(changes.begin(), changes.end(),
                       [key](const Change &change) { return change.key == key; });
}

std::optional<double> Strategy::number(std::string_view key) const
{
    const Change *const change = find(key);
    return change != nullptr ? change->number() : std::nullopt;
}

std::optional<std::string> Strategy::text(std::string_view key) const
{
    const Change *const change = find(key);
    return change != nullptr ? std::optional(change->valueText()) : std::nullopt;
}

std::vector<const Change *> Strategy::ofRanks(std::string_view key) const
{
    std::vector<const Change *> found;
    for (const Change &change : changes)
        if (change.key == key && !change.ranks.empty())
            found.push_back(&change);
    return found;
}

void Strategy::set(Change change)
{
    for (Change &own : changes)
        if (own.key == change.key && own.ranks == change.ranks) {
            own.value = std::move(change.value);
            return;
        }
    changes.push_back(std::move(change));
}

void Strategy::remove(std::string_view key)
{
    std::erase_if(
        changes, [key](const Change &change) { return change.key == key && change.ranks.empty(); });
}

void Strategy::removeAll(std::string_view key)
{
    std::erase_if(changes, [key](const Change &change) { return change.key == key; });
}

std::vector<std::pair<std::string, std::string>> Strategy::list() const
{
    std::vector<std::pair<std::string, std::string>> list;
    list.reserve(changes.size());
    for (const Change &change : changes)
        list.emplace_back(change.name(), change.valueText());
    return list;
}

bool operator==(const Strategy &a, const Strategy &b)
{
    std::vector<Change> left = a.changes, right = b.changes;
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    return left == right;
}

} // namespace core
