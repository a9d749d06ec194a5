#include "core/pipeline/stated_ranks.h"

#include "core/base/error.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace core {

namespace fs = std::filesystem;

namespace {

    constexpr std::size_t MaxPlacesNamed = 20;

    bool hasPattern(const std::string &file)
    {
        return file.find_first_of("*?[") != std::string::npos;
    }

    /// The last `count` parts of a path.
    fs::path lastParts(const fs::path &path, std::ptrdiff_t count)
    {
        fs::path last;
        const std::ptrdiff_t parts = std::distance(path.begin(), path.end());
        for (auto part = std::next(path.begin(), std::max<std::ptrdiff_t>(0, parts - count));
             part != path.end(); ++part)
            last /= *part;
        return last;
    }

    bool isNamed(const fs::path &path, const fs::path &wanted)
    {
        const fs::path compared = wanted.is_absolute()
            ? path
            : lastParts(path, std::distance(wanted.begin(), wanted.end()));
        // A file may itself be named with brackets: what is equal needs no pattern.
        return compared == wanted
            || fnmatch(wanted.c_str(), compared.c_str(), FNM_PATHNAME | FNM_NOESCAPE) == 0;
    }

    /// Absolute and without "..", of all items at once: a job may state thousands of ranks.
    std::vector<fs::path> pathsOf(const std::vector<BundleItem> &items)
    {
        std::vector<fs::path> paths;
        paths.reserve(items.size());
        for (const BundleItem &item : items)
            paths.push_back(fs::absolute(item.name).lexically_normal());
        return paths;
    }

    /// Places in the bundle.
    std::vector<std::size_t> itemsNamed(const std::string &file, const std::vector<fs::path> &paths)
    {
        fs::path wanted = fs::path(file).lexically_normal();
        if (!wanted.empty() && *wanted.begin() == "..")
            wanted = fs::absolute(wanted).lexically_normal();
        std::vector<std::size_t> named;
        for (std::size_t i = 0; i < paths.size(); ++i)
            if (isNamed(paths[i], wanted))
                named.push_back(i);
        return named;
    }

    /// "\n  a.json\n  b.json\n  and 3 more"
    std::string listed(const std::vector<std::size_t> &places, const std::vector<BundleItem> &items)
    {
        std::string text;
        for (std::size_t i = 0; i < std::min(MaxPlacesNamed, places.size()); ++i)
            text += "\n  " + items[places[i]].name;
        if (places.size() > MaxPlacesNamed)
            text += "\n  and " + std::to_string(places.size() - MaxPlacesNamed) + " more";
        return text;
    }

    [[noreturn]] void refuse(const std::string &file, int rank, const std::string &reason)
    {
        throw UsageError("--rank '" + file + "=" + std::to_string(rank) + "': " + reason);
    }

    void checkNamed(const std::string &file, int rank, const std::vector<std::size_t> &named,
                    const std::vector<BundleItem> &items)
    {
        if (named.empty()) {
            std::vector<std::size_t> all;
            for (std::size_t i = 0; i < items.size(); ++i)
                all.push_back(i);
            refuse(file, rank,
                   "No file to import is named so. These are found:" + listed(all, items));
        }
        if (named.size() > 1 && !hasPattern(file))
            refuse(file, rank,
                   "Several files are named so; give more of the path of the one that is meant:"
                       + listed(named, items));
    }

} // namespace

StatedRanks::StatedRanks(const std::map<std::string, int> &rankByFile,
                         const std::vector<BundleItem> &items)
{
    if (rankByFile.empty())
        return;
    const std::vector<fs::path> paths = pathsOf(items);
    for (const auto &[file, rank] : rankByFile) {
        const std::vector<std::size_t> named = itemsNamed(file, paths);
        checkNamed(file, rank, named, items);
        for (const std::size_t item : named) {
            const auto [known, isNew] = m_rankByItem.emplace(item, rank);
            if (!isNew && known->second != rank)
                refuse(file, rank,
                       items[item].name + " is stated to be rank " + std::to_string(known->second)
                           + " as well. Name each file once.");
        }
    }
}

std::optional<int> StatedRanks::of(std::size_t item) const
{
    const auto found = m_rankByItem.find(item);
    return found == m_rankByItem.end() ? std::nullopt : std::optional(found->second);
}

} // namespace core
