#include "core/import/rank_from_name.h"

#include "core/base/ascii_text.h"
#include "core/bundle/file_name.h"
#include "core/import/text/index_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace core {

namespace {

    constexpr std::size_t MaximumRankDigits = 6;
    constexpr std::string_view RankDigits = "0123456789";

    std::optional<int> numberAtFront(std::string_view text)
    {
        const std::string_view digits = text.substr(0, text.find_first_not_of(RankDigits));
        return digits.size() <= MaximumRankDigits ? indexFrom(digits) : std::nullopt;
    }

    /// "rank" and then a number, with at most one of _ - [ = . between them. A rank within a host
    /// ("local_rank0") is not that of the job.
    std::optional<int> numberAfterWord(const std::string &name, std::string_view word)
    {
        for (std::size_t at = name.find(word); at != std::string::npos;
             at = name.find(word, at + 1)) {
            const std::string_view before = std::string_view(name).substr(0, at);
            const bool startsWord
                = (at == 0 || std::isalpha(static_cast<unsigned char>(before.back())) == 0)
                && !before.ends_with("local_") && !before.ends_with("local-");
            std::string_view rest = std::string_view(name).substr(at + word.size());
            if (!rest.empty() && std::string_view("_-[=.").find(rest[0]) != std::string_view::npos)
                rest.remove_prefix(1);
            const std::optional<int> number = numberAtFront(rest);
            if (startsWord && number)
                return number;
        }
        return std::nullopt;
    }

    /// "trace_0" of "trace_0.pt.trace.json.gz".
    std::string_view withoutExtensions(std::string_view name)
    {
        constexpr std::array<std::string_view, 9> Extensions
            = { ".gz", ".json", ".jsonl", ".trace", ".pt", ".pb", ".xplane", ".et", ".sqlite" };
        for (bool hasChanged = true; hasChanged;) {
            hasChanged = false;
            for (const std::string_view extension : Extensions) {
                if (name.ends_with(extension)) {
                    name.remove_suffix(extension.size());
                    hasChanged = true;
                }
            }
        }
        return name;
    }

    /// The number that a name without its extensions ends with, apart from what is before.
    std::optional<int> numberAfterAll(std::string_view name)
    {
        const std::size_t begin = name.find_last_not_of(RankDigits) + 1;
        if (begin == 0)
            return numberAtFront(name);
        const char before = name[begin - 1];
        const bool isVersion = before == '.' && begin > 1
            && RankDigits.find(name[begin - 2]) != std::string_view::npos;
        const bool isApart = before == '_' || before == '-' || before == '.';
        return isApart && !isVersion && !endsInOtherWord(name.substr(0, begin))
            ? numberAtFront(name.substr(begin))
            : std::nullopt;
    }

    /// Of a name in which something else is between "rank" and the number at the end:
    /// "rank_container-node07_40".
    std::optional<int> numberApartFromWord(std::string_view name)
    {
        const std::string stem = lowered(withoutExtensions(name));
        constexpr std::string_view Word = "rank";
        for (std::size_t at = stem.find(Word); at != std::string::npos;
             at = stem.find(Word, at + 1)) {
            const bool startsWord
                = at == 0 || std::isalpha(static_cast<unsigned char>(stem[at - 1])) == 0;
            const std::string_view rest = std::string_view(stem).substr(at + Word.size());
            const bool isApart = rest.size() > 1 && (rest[0] == '_' || rest[0] == '-')
                && RankDigits.find(rest[1]) == std::string_view::npos;
            if (startsWord && isApart)
                return numberAfterAll(stem);
        }
        return std::nullopt;
    }

    /// "chakra.3.et", "all_reduce.3.et.gz", "chakra.3.json".
    std::optional<int> numberOfWorkload(std::string_view name)
    {
        const std::string_view stem = withoutExtensions(name);
        const bool isWorkload = name.substr(stem.size()).starts_with(".et")
            || (name.starts_with("chakra.") && stem.find('.') == stem.rfind('.'));
        const std::size_t dot = stem.rfind('.');
        return isWorkload && dot != std::string_view::npos
                && stem.find_last_not_of(RankDigits) == dot
            ? numberAfterAll(stem)
            : std::nullopt;
    }

    std::optional<int> numberInWords(std::string_view name)
    {
        const std::string lower = lowered(name);
        for (const std::string_view word :
             { std::string_view("rank"), std::string_view("worker") }) {
            if (const auto number = numberAfterWord(lower, word))
                return number;
        }
        return numberOfWorkload(fileName(lower));
    }

    /// Of the only word for a process or its place that has a number.
    std::optional<int> numberOfPlace(std::string_view path)
    {
        constexpr std::array<std::string_view, 7> Words
            = { "trainer", "proc", "gpu", "local", "local_rank", "node", "host" };
        const std::string lower = lowered(path);
        std::optional<int> place;
        for (const std::string_view word : Words) {
            const auto number = numberAfterWord(lower, word);
            if (number && place)
                return std::nullopt;
            place = number ? number : place;
        }
        return place;
    }

} // namespace

std::optional<int> rankFromWords(std::string_view path)
{
    while (!path.empty()) {
        const std::string_view last = fileName(path);
        if (const auto number = numberInWords(last))
            return number;
        path.remove_suffix(last.size());
        path = path.substr(0, path.empty() ? 0 : path.size() - 1);
    }
    return std::nullopt;
}

std::optional<int> numberApartFromRank(std::string_view path)
{
    return numberApartFromWord(fileName(path));
}

std::optional<int> rankFromPlace(std::string_view path)
{
    const std::optional<int> apart = numberApartFromRank(path);
    const std::optional<int> rank = apart ? apart : numberOfPlace(path);
    return rank && *rank <= LargestLikelyRank ? rank : std::nullopt;
}

std::map<std::string, int> parallelPlaces(std::string_view path)
{
    constexpr std::array<std::string_view, 5> Words = { "tp", "cp", "ep", "dp", "pp" };
    const std::string name = lowered(fileName(path));
    std::map<std::string, int> places;
    for (const std::string_view word : Words)
        if (const auto number = numberAfterWord(name, word))
            places[std::string(word)] = *number;
    return places;
}

std::optional<int> numberAtEnd(std::string_view path)
{
    return numberAfterAll(withoutExtensions(fileName(path)));
}

bool endsInOtherWord(std::string_view before)
{
    constexpr std::array<std::string_view, 16> Words
        = { "step",    "steps", "epoch", "epochs", "iter",  "iteration",  "iterations", "run",
            "version", "v",     "seed",  "batch",  "layer", "checkpoint", "ckpt",       "attempt" };
    while (!before.empty() && std::string_view("_-[=.").find(before.back()) != before.npos)
        before.remove_suffix(1);
    const auto isLetter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    std::size_t begin = before.size();
    while (begin > 0 && isLetter(before[begin - 1]))
        --begin;
    const std::string word = lowered(before.substr(begin));
    return std::find(Words.begin(), Words.end(), word) != Words.end();
}

} // namespace core
