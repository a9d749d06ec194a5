#include "core/change/change_text.h"

#include "core/base/error.h"
#include "core/base/nearest_word.h"
#include "core/change/change_list.h"
#include "core/change/transfers/link_changes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace core {

namespace {

    constexpr int MostRank = 131'072; ///< of a list; see world_size

    std::optional<int> wholeNumber(std::string_view text)
    {
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 0)
            return {};
        return value;
    }

    /// "4-7", "0,4", "0,4-5" in ascending order, two ranks or more; empty: it is no such list.
    std::vector<int> ranksIn(std::string_view text)
    {
        std::set<int> ranks;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find(',', begin), text.size());
            const std::string_view item = text.substr(begin, end - begin);
            const std::size_t dash = std::min(item.find('-'), item.size());
            const auto first = wholeNumber(item.substr(0, dash));
            const auto last = dash < item.size() ? wholeNumber(item.substr(dash + 1)) : first;
            if (!first || !last || *last < *first || *last >= MostRank)
                return {};
            for (int rank = *first; rank <= *last; ++rank)
                if (!ranks.insert(rank).second)
                    return {};
            begin = end + 1;
        }
        return ranks.size() > 1 ? std::vector<int>(ranks.begin(), ranks.end()) : std::vector<int>();
    }

    std::string rangeText(const ChangeTraits &traits)
    {
        const Change least("", traits.least), most("", traits.most);
        return std::string(traits.isWhole ? "whole " : "") + "number from " + least.valueText()
            + " to " + most.valueText() + " (" + std::string(traits.unit) + ")";
    }

    double parseNumber(const std::string &word, const ChangeTraits &traits, const std::string &text)
    {
        // Not strtod, which goes by the locale.
        double value = 0;
        const char *end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        const bool isGood = read.ec == std::errc() && read.ptr == end && std::isfinite(value)
            && value >= traits.least && value <= traits.most
            && (!traits.isWhole || value == std::floor(value));
        if (isGood)
            return value;
        const std::string key(traits.key);
        if (traits.form == ChangeForm::Switch)
            throw UsageError("'" + word + "': " + key + " is 0 or 1.");
        const bool isTooMuch = value > traits.most && !traits.whyMost.empty();
        throw UsageError("'" + word + "': " + key + " takes a " + rangeText(traits) + "."
                         + (isTooMuch ? " " + std::string(traits.whyMost) : std::string()));
    }

    /// "ring"; of a word with a number behind it "ps:2".
    bool isOneOf(std::string_view text, const ChangeTraits &traits)
    {
        const std::size_t colon = text.find(':');
        return std::any_of(traits.words.begin(), traits.words.end(), [&](const ChangeWord &word) {
            if (text.substr(0, colon) != word.word)
                return false;
            const bool hasCount = colon != std::string_view::npos;
            return hasCount != word.countTitle.empty()
                && (!hasCount || wholeNumber(text.substr(colon + 1)).value_or(0) > 0);
        });
    }

    std::vector<int> parseRanks(const std::string &word, const ChangeTraits &traits,
                                std::string_view text)
    {
        const std::string key(traits.key);
        if (traits.isOfRanks) {
            std::vector<int> ranks = ranksIn(text);
            if (ranks.empty())
                throw UsageError("'" + word + "': behind " + key
                                 + ": come the ranks of a group, two or more, as 4-7 or 0,4.");
            return ranks;
        }
        const auto rank = wholeNumber(text);
        if (!rank)
            throw UsageError("'" + word + "': behind " + key
                             + ": comes the number of one rank, as in " + key
                             + ":0. Give it once for each rank.");
        return { *rank };
    }

    std::string whereKeysAre()
    {
        return "'longpole replay --help' lists the keys.";
    }

    /// ": did you mean schedule?" of "shedule"; of a key that takes no rank, that it does not.
    std::string likelyKey(const std::string &whole)
    {
        const std::string key = whole.substr(0, whole.find(':'));
        if (traitsOf(key))
            return ": " + key + " is of all ranks.";
        std::vector<std::string_view> keys;
        keys.reserve(changeTraits().size());
        for (const ChangeTraits &traits : changeTraits())
            keys.push_back(traits.key);
        const std::string_view nearest = nearestWord(key, keys);
        return nearest.empty() ? "." : ": did you mean " + std::string(nearest) + "?";
    }

    Change parseWord(const std::string &word)
    {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
            throw UsageError("'" + word + "' is not of the form KEY=VALUE. " + whereKeysAre());
        const std::string whole = word.substr(0, equals), text = word.substr(equals + 1);
        const auto colon = whole.find(':');
        const auto traits = traitsOf(whole.substr(0, colon));
        const bool hasRanks = colon != std::string::npos;
        if (!traits || (hasRanks && !traits->isOfRank && !traits->isOfRanks))
            throw UsageError("Unknown setting '" + whole + "'" + likelyKey(whole) + " "
                             + whereKeysAre());
        const std::string key(traits->key);
        if (traits->form == ChangeForm::Word) {
            if (!isOneOf(text, *traits))
                throw UsageError("'" + word + "': " + key + " is " + std::string(traits->unit)
                                 + ".");
            return { key, text };
        }
        if (traits->form == ChangeForm::Text)
            return { key, text };
        std::vector<int> ranks;
        if (hasRanks)
            ranks = parseRanks(word, *traits, std::string_view(whole).substr(colon + 1));
        return { key, parseNumber(word, *traits, text), std::move(ranks) };
    }

    /// A job of so many ranks has those from 0 on.
    void refuseMissingRanks(const Strategy &strategy)
    {
        const auto wanted = wantedRanks(strategy);
        for (const Change &change : strategy.changes)
            for (const int rank : change.ranks)
                if (wanted && rank >= *wanted)
                    throw UsageError(change.key + " of rank " + std::to_string(rank)
                                     + ": with world_size="
                                     + Change("world_size", *wanted).valueText()
                                     + " there is no such rank. Leave one of them away.");
    }

} // namespace

std::string changeKeysText()
{
    std::string text;
    for (const ChangeTraits &traits : changeTraits()) {
        text += text.empty() ? "  " : "\n  ";
        text += traits.key;
        text += traits.isOfRank ? "[:RANK]" : traits.isOfRanks ? "[:RANKS]" : "";
        text += ": ";
        text += traits.unit;
    }
    return text;
}

Strategy parseStrategy(const std::vector<std::string> &words)
{
    Strategy strategy;
    std::set<std::string> names;
    for (const std::string &word : words) {
        Change change = parseWord(word);
        if (!names.insert(change.name()).second)
            throw UsageError("'" + change.name() + "' is given twice. Give it once.");
        strategy.changes.push_back(std::move(change));
    }
    if (const std::string contradiction = contradictionOf(strategy); !contradiction.empty())
        throw UsageError(contradiction);
    refuseMissingRanks(strategy);
    return strategy;
}

} // namespace core
