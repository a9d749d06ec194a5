#include "core/import/rank_from_folders.h"

#include "core/import/text/index_text.h"

#include <algorithm>
#include <array>
#include <string>

namespace core {

namespace {

    constexpr int MaximumLocalRanks = 256;
    constexpr int MaximumHosts = 64; ///< that are looked at; further ones are taken to be alike
    constexpr std::size_t MaximumDigits = 4;
    constexpr std::string_view Digits = "0123456789";
    constexpr std::array HostWords
        = { std::string_view("host"), std::string_view("traces_"), std::string_view("worker"),
            std::string_view("worker_"), std::string_view("node") };
    constexpr std::array FileNames
        = { std::string_view("comm.json"), std::string_view("trace.json.gz"),
            std::string_view("comm.json.gz"), std::string_view("trace.json") };

    std::optional<int> numberFrom(std::string_view digits)
    {
        return digits.size() <= MaximumDigits ? indexFrom(digits) : std::nullopt;
    }

    /// Takes the last part off a path.
    std::string_view takeLast(std::string_view &path)
    {
        const std::size_t slash = path.find_last_of('/');
        const std::string_view last
            = slash == std::string_view::npos ? path : path.substr(slash + 1);
        path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
        return last;
    }

    bool hasLocalRank(const BundleEntry &entry, const std::string &hostFolder, int local)
    {
        for (const std::string_view name : FileNames)
            if (entry.hasOther(hostFolder + std::to_string(local) + '/' + std::string(name)))
                return true;
        return false;
    }

    int localRanks(const BundleEntry &entry, const std::string &hostFolder)
    {
        int count = 0;
        while (count < MaximumLocalRanks && hasLocalRank(entry, hostFolder, count))
            ++count;
        return count;
    }

} // namespace

std::optional<int> rankFromFolders(const BundleEntry &entry)
{
    std::string_view path = entry.name();
    takeLast(path);
    const std::optional<int> local = numberFrom(takeLast(path));
    if (!local)
        return std::nullopt;
    const std::string_view hostFolder = takeLast(path);
    const std::size_t word = hostFolder.find_last_not_of(Digits) + 1;
    const std::string_view hostWord = hostFolder.substr(0, word);
    const bool isHost = std::find(HostWords.begin(), HostWords.end(), hostWord) != HostWords.end();
    const std::optional<int> host = numberFrom(hostFolder.substr(word));
    if (!isHost || !host || *host == 0)
        return local;
    const std::string before = "../../" + std::string(hostWord);
    const int own = std::max(localRanks(entry, "../"), *local + 1);
    int rank = *local + std::max(0, *host - MaximumHosts) * own;
    for (int earlier = 0; earlier < std::min(*host, MaximumHosts); ++earlier) {
        const int count = localRanks(entry, before + std::to_string(earlier) + '/');
        rank += count > 0 ? count : own;
    }
    return rank;
}

} // namespace core
