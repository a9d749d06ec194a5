#include "core/pipeline/named_ranks.h"

#include "core/bundle/file_name.h"
#include "core/import/rank_from_name.h"
#include "core/import/text/index_text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace core {

namespace {

    using Ranks = std::vector<std::optional<NamedRank>>;

    constexpr std::size_t MaximumRankDigits = 6;
    constexpr std::string_view Digits = "0123456789";

    /// "run1/t_12.json" as { "run#/t_#.json", "1", "12" }.
    std::vector<std::string> shapeAndNumbers(const std::string &name)
    {
        std::vector<std::string> parts(1);
        bool isInNumber = false;
        for (const char c : name) {
            const bool isDigit = std::isdigit(static_cast<unsigned char>(c)) != 0;
            if (isDigit && !isInNumber) {
                parts.front() += '#';
                parts.emplace_back();
            }
            isInNumber = isDigit;
            (isDigit ? parts.back() : parts.front()) += c;
        }
        return parts;
    }

    /// Where names of equal shape have different numbers; absent unless there is one such place.
    std::optional<std::size_t> onlyDifference(const std::vector<std::vector<std::string>> &names)
    {
        std::set<std::size_t> places;
        for (const auto &name : names) {
            if (name.front() != names.front().front())
                return std::nullopt;
            for (std::size_t i = 1; i < name.size(); ++i)
                if (name[i] != names.front()[i])
                    places.insert(i);
        }
        return places.size() == 1 ? std::optional(*places.begin()) : std::nullopt;
    }

    /// Whether numbers in names are likely to be ranks: they count from 0 or 1, or are those of one
    /// host among equal ones. Years, steps and sizes do not, or are too few to tell.
    bool countRanks(const std::set<int> &numbers)
    {
        constexpr std::size_t FewestOfHost = 4;
        if (numbers.size() < 2)
            return false;
        const int first = *numbers.begin(), count = static_cast<int>(numbers.size());
        const bool isWithoutGap = *numbers.rbegin() - first == count - 1;
        return first <= 1 || (numbers.size() >= FewestOfHost && isWithoutGap && first % count == 0);
    }

    /// "run1/t_" of "run1/t_12.json" and place 2 of { "run#/t_#.json", "1", "12" }.
    std::string_view textBefore(std::string_view name, std::size_t place)
    {
        std::size_t at = 0;
        for (std::size_t number = 1; number <= place; ++number) {
            at = name.find_first_of(Digits, at);
            if (number < place)
                at = name.find_first_not_of(Digits, at);
        }
        return name.substr(0, at);
    }

    /// By the only number in which the names differ; empty where that tells no ranks.
    Ranks byDifference(const std::vector<std::string> &names)
    {
        std::vector<std::vector<std::string>> split;
        std::transform(names.begin(), names.end(), std::back_inserter(split), shapeAndNumbers);
        const auto place = onlyDifference(split);
        if (!place || endsInOtherWord(textBefore(names.front(), *place)))
            return {};
        Ranks ranks;
        std::set<int> known;
        for (const auto &name : split) {
            const std::string &digits = name[*place];
            const auto rank = digits.size() <= MaximumRankDigits ? indexFrom(digits) : std::nullopt;
            if (!rank || !known.insert(*rank).second)
                return {};
            ranks.push_back(NamedRank { *rank, RankSource::Name });
        }
        return countRanks(known) ? ranks : Ranks();
    }

    /// By numbers that are likely ranks, where each has another.
    Ranks byDigits(const std::vector<std::string> &names)
    {
        std::map<int, std::size_t> uses;
        std::set<int> atEnd;
        std::size_t atEndCount = 0;
        for (const std::string &name : names) {
            if (const auto rank = rankFromPlace(name)) {
                ++uses[*rank];
            } else if (const auto number = numberAtEnd(name)) {
                ++uses[*number];
                atEnd.insert(*number);
                ++atEndCount;
            }
        }
        const bool areRanks = atEnd.size() == atEndCount && countRanks(atEnd);
        Ranks ranks;
        for (const std::string &name : names) {
            auto rank = rankFromPlace(name);
            if (!rank && areRanks)
                rank = numberAtEnd(name);
            ranks.push_back(rank && uses[*rank] == 1
                                ? std::optional(NamedRank { *rank, RankSource::Digits })
                                : std::nullopt);
        }
        return ranks;
    }

    Ranks byOrder(const std::vector<std::string> &names)
    {
        const bool isOneFolder
            = std::all_of(names.begin(), names.end(), [&](const std::string &name) {
                  return folderName(name) == folderName(names.front());
              });
        Ranks ranks(names.size());
        for (std::size_t i = 0; isOneFolder && i < names.size(); ++i)
            ranks[i] = NamedRank { static_cast<int>(i), RankSource::Order };
        return ranks;
    }

    Ranks ofOneFormat(const Importer &importer, const std::vector<std::string> &names)
    {
        if (importer.isNumberedByOrder())
            return byOrder(names);
        const Ranks ranks = byDifference(names);
        return ranks.empty() ? byDigits(names) : ranks;
    }

    /// A number in a name, unless it stands alone: that of a single trace may be anything.
    std::optional<int> likelyRank(const std::string &name, std::size_t traces)
    {
        const auto rank = rankFromPlace(name);
        return rank || traces < 2 ? rank : numberAtEnd(name);
    }

    /// Of traces that are each of another format.
    NamedRank ofParts(const std::vector<ListedTrace> &traces)
    {
        std::set<int> stated;
        std::set<std::optional<int>> likely;
        for (const ListedTrace &trace : traces) {
            if (const auto rank = rankFromWords(trace.name))
                stated.insert(*rank);
            if (!trace.importer->isNumberedByOrder())
                likely.insert(likelyRank(trace.name, traces.size()));
        }
        if (stated.size() == 1)
            return { *stated.begin(), RankSource::Name };
        if (stated.empty() && likely.size() == 1 && *likely.begin())
            return { **likely.begin(), RankSource::Digits };
        return { 0, RankSource::Alone };
    }

    /// Sets the ranks of those traces of one format whose words state none.
    void setOthers(const std::vector<ListedTrace> &traces, const Importer &importer, Ranks &ranks)
    {
        std::vector<std::size_t> places;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < traces.size(); ++i) {
            if (traces[i].importer != &importer || ranks[i])
                continue;
            places.push_back(i);
            names.push_back(traces[i].name);
        }
        if (names.empty())
            return;
        const Ranks found = ofOneFormat(importer, names);
        for (std::size_t i = 0; i < places.size(); ++i)
            ranks[places[i]] = found[i];
    }

    /// Whether a damaged trace counts: it is one of a folder whose files are numbered by order.
    bool takesNumber(const ListedTrace &damaged, const std::vector<ListedTrace> &traces)
    {
        return damaged.importer->isNumberedByOrder()
            && std::any_of(traces.begin(), traces.end(), [&damaged](const ListedTrace &other) {
                   return !other.isDamaged && other.importer == damaged.importer
                       && folderName(other.name) == folderName(damaged.name);
               });
    }

    Ranks ranksOf(const std::vector<ListedTrace> &traces)
    {
        std::set<const Importer *> formats;
        Ranks ranks(traces.size());
        for (std::size_t i = 0; i < traces.size(); ++i) {
            formats.insert(traces[i].importer);
            if (const auto rank = rankFromWords(traces[i].name))
                ranks[i] = NamedRank { *rank, RankSource::Name };
        }
        if (formats.size() == traces.size()) {
            for (auto &rank : ranks)
                rank = rank.value_or(ofParts(traces));
            return ranks;
        }
        for (const Importer *importer : formats)
            setOthers(traces, *importer, ranks);
        return ranks;
    }

} // namespace

std::vector<std::optional<NamedRank>> namedRanks(const std::vector<ListedTrace> &traces)
{
    std::vector<ListedTrace> counted;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < traces.size(); ++i) {
        if (traces[i].isDamaged && !takesNumber(traces[i], traces))
            continue;
        places.push_back(i);
        counted.push_back(traces[i]);
    }
    const Ranks found = ranksOf(counted);
    Ranks ranks(traces.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        if (!traces[places[i]].isDamaged)
            ranks[places[i]] = found[i];
    return ranks;
}

} // namespace core
