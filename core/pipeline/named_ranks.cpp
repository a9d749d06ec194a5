#include "core/pipeline/named_ranks.h"

#include "core/bundle/file_name.h"
#include "core/bundle/natural_order.h"
#include "core/import/rank_from_name.h"
#include "core/import/text/index_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <functional>
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

    /// Whether numbers apart from the word rank are ranks of one job, the large ones too: without a
    /// small one among them they may be ids of processes.
    bool areRanksOfOneJob(const std::vector<std::string> &names)
    {
        std::set<int> apart;
        for (const std::string &name : names)
            if (const auto number = numberApartFromRank(name))
                apart.insert(*number);
        return !apart.empty() && (*apart.begin() <= LargestLikelyRank || countRanks(apart));
    }

    /// By numbers that are likely ranks, where each has another.
    Ranks byDigits(const std::vector<std::string> &names)
    {
        const bool isOneJob = areRanksOfOneJob(names);
        const auto likelyRankOf = [isOneJob](const std::string &name) {
            const auto apart = isOneJob ? numberApartFromRank(name) : std::nullopt;
            return apart ? apart : rankFromPlace(name);
        };
        std::map<int, std::size_t> uses;
        std::set<int> atEnd;
        std::size_t atEndCount = 0;
        for (const std::string &name : names) {
            if (const auto rank = likelyRankOf(name)) {
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
            auto rank = likelyRankOf(name);
            if (!rank && areRanks)
                rank = numberAtEnd(name);
            ranks.push_back(rank && uses[*rank] == 1
                                ? std::optional(NamedRank { *rank, RankSource::Digits })
                                : std::nullopt);
        }
        return ranks;
    }

    /// Whether each TP place is within one DP place only, as where replicas share the layers.
    bool isWithin(const std::vector<std::map<std::string, int>> &places)
    {
        std::map<std::optional<int>, std::set<std::optional<int>>> replicas;
        const auto at = [](const std::map<std::string, int> &place, const char *word) {
            const auto found = place.find(word);
            return found != place.end() ? std::optional(found->second) : std::nullopt;
        };
        for (const auto &place : places)
            replicas[at(place, "tp")].insert(at(place, "dp"));
        return std::all_of(replicas.begin(), replicas.end(),
                           [](const auto &one) { return one.second.size() == 1; });
    }

    /// By the places in parallel dimensions that all names state (SGLang): tensor parallel ranks
    /// are neighbours, stages the farthest apart, replicas of whole jobs still farther. Empty where
    /// names state other dimensions, or two the same place.
    Ranks byParallelPlaces(const std::vector<std::string> &names)
    {
        std::vector<std::map<std::string, int>> places;
        std::transform(names.begin(), names.end(), std::back_inserter(places), parallelPlaces);
        const std::vector<std::string> slowestFirst = isWithin(places)
            ? std::vector<std::string> { "pp", "dp", "ep", "cp", "tp" }
            : std::vector<std::string> { "dp", "pp", "ep", "cp", "tp" };
        std::map<std::vector<int>, std::size_t> nameByPlace;
        std::map<std::string, std::set<int>> numbersOf;
        for (std::size_t i = 0; i < names.size(); ++i) {
            std::vector<int> key;
            for (const std::string &word : slowestFirst)
                if (const auto found = places[i].find(word); found != places[i].end())
                    key.push_back(found->second);
            const bool isLikeFirst = std::equal(
                places[i].begin(), places[i].end(), places[0].begin(), places[0].end(),
                [](const auto &one, const auto &other) { return one.first == other.first; });
            for (const auto &[word, place] : places[i])
                numbersOf[word].insert(place);
            if (key.size() < 2 || !isLikeFirst || !nameByPlace.emplace(key, i).second)
                return {};
        }
        // Sizes of several jobs ("tp2_pp4") do not begin at 0, and of a part of one some are
        // missing.
        const auto isWhole = [](const auto &numbers) {
            return *numbers.second.begin() == 0
                && *numbers.second.rbegin() + 1 == std::ssize(numbers.second);
        };
        if (!std::all_of(numbersOf.begin(), numbersOf.end(), isWhole))
            return {};
        Ranks ranks(names.size());
        int next = 0;
        for (const auto &[place, name] : nameByPlace)
            ranks[name] = NamedRank { next++, RankSource::Places };
        return ranks;
    }

    /// Seconds since 1970 of a folder such as 2026_05_13_08_00_00, which profilers of TensorFlow
    /// and JAX make; absent where its name is no time.
    std::optional<std::int64_t> timeOfFolder(std::string_view folder)
    {
        std::array<int, 6> parts {};
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::size_t length = std::min(folder.find_first_of("_-"), folder.size());
            const auto number = length <= 4 ? indexFrom(folder.substr(0, length)) : std::nullopt;
            if (!number)
                return std::nullopt;
            parts[i] = *number;
            folder.remove_prefix(std::min(length + 1, folder.size()));
        }
        constexpr std::array<int, 6> Largest { 9999, 12, 31, 23, 59, 60 }; // what the types hold
        if (!std::equal(parts.begin(), parts.end(), Largest.begin(), std::less_equal<>()))
            return std::nullopt;
        const std::chrono::year_month_day day { std::chrono::year(parts[0]),
                                                std::chrono::month(static_cast<unsigned>(parts[1])),
                                                std::chrono::day(static_cast<unsigned>(parts[2])) };
        if (!day.ok() || !folder.empty())
            return std::nullopt;
        const auto days = std::chrono::sys_days(day).time_since_epoch();
        return std::chrono::duration_cast<std::chrono::seconds>(days).count() + parts[3] * 3600
            + parts[4] * 60 + parts[5];
    }

    /// Each host of a JAX job names its folder by the time at which its own recording ended.
    Ranks byHosts(const std::vector<std::string> &names)
    {
        constexpr std::int64_t MostSeconds = 600;
        std::set<std::string_view> parents;
        std::set<std::int64_t> times;
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < names.size(); ++i) {
            std::string_view folder = folderName(names[i]);
            folder.remove_suffix(folder.empty() ? 0 : 1);
            const auto time = timeOfFolder(fileName(folder));
            if (!time)
                return Ranks(names.size());
            times.insert(*time);
            parents.insert(folderName(folder));
            order.push_back(i);
        }
        const auto host = [&names](std::size_t i) { return fileName(names[i]); };
        std::sort(order.begin(), order.end(),
                  [&host](std::size_t a, std::size_t b) { return comesBefore(host(a), host(b)); });
        const bool isTwice = std::adjacent_find(order.begin(), order.end(),
                                                [&host](std::size_t a, std::size_t b) {
                                                    return host(a) == host(b);
                                                })
            != order.end();
        Ranks ranks(names.size());
        if (isTwice || parents.size() != 1 || *times.rbegin() - *times.begin() > MostSeconds)
            return ranks;
        for (std::size_t i = 0; i < order.size(); ++i)
            ranks[order[i]] = NamedRank { static_cast<int>(i), RankSource::Order };
        return ranks;
    }

    Ranks byOrder(const std::vector<std::string> &names)
    {
        const bool isOneFolder
            = std::all_of(names.begin(), names.end(), [&](const std::string &name) {
                  return folderName(name) == folderName(names.front());
              });
        if (!isOneFolder)
            return byHosts(names);
        Ranks ranks(names.size());
        for (std::size_t i = 0; i < names.size(); ++i)
            ranks[i] = NamedRank { static_cast<int>(i), RankSource::Order };
        return ranks;
    }

    Ranks ofOneFormat(const Importer &importer, const std::vector<std::string> &names)
    {
        if (importer.isNumberedByOrder())
            return byOrder(names);
        Ranks ranks = byDifference(names);
        if (ranks.empty())
            ranks = byParallelPlaces(names);
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
