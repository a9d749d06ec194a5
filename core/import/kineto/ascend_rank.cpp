#include "core/import/kineto/ascend_rank.h"

#include "core/base/error.h"
#include "core/bundle/file_name.h"
#include "core/import/rank_limit.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace core {

namespace {

    constexpr std::size_t LargestMetadata = 16 * 1024 * 1024;
    constexpr int MostAscendRanks = 16'384; ///< whose names are looked for

    std::optional<int> smallMember(const nlohmann::json &object, const char *key)
    {
        const auto member = object.find(key);
        if (member == object.end() || !member->is_number_unsigned()
            || member->get<std::uint64_t>() >= RankLimit)
            return std::nullopt;
        return member->get<int>();
    }

    WorkerInfo inMetadata(const BundleEntry &entry)
    {
        WorkerInfo info;
        const auto file = entry.openOther("../profiler_metadata.json");
        const auto text = file ? readWhole(*file, LargestMetadata) : std::nullopt;
        const auto metadata
            = nlohmann::json::parse(text.value_or(std::string()), nullptr, /*exceptions=*/false);
        if (!metadata.is_object() || !metadata.contains("distributed_info")
            || !metadata["distributed_info"].is_object())
            return info;
        info.rank = smallMember(metadata["distributed_info"], "rank");
        info.worldSize = smallMember(metadata["distributed_info"], "world_size");
        return info;
    }

} // namespace

WorkerInfo ascendRank(const BundleEntry &entry)
{
    WorkerInfo info;
    if (fileName(entry.name()).find("trace_view.json") == std::string_view::npos)
        return info;
    try {
        info = inMetadata(entry);
    } catch (const Error &) {
        info = {}; // the name says as much
    }
    for (int rank = 0; !info.rank && rank < MostAscendRanks; ++rank)
        if (entry.hasOther("../profiler_info_" + std::to_string(rank) + ".json"))
            info.rank = rank;
    return info;
}

} // namespace core
