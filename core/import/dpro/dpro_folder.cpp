#include "core/import/dpro/dpro_folder.h"

#include "core/import/dpro/dpro_side_file.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/index_text.h"
#include "core/import/text/json_object.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {

namespace {

    constexpr std::int64_t MostGradients = 1'000'000;

    /// After the spaces in front of it.
    std::optional<int> numberAtFront(std::string_view text)
    {
        return indexAtFront(text.substr(std::min(text.find_first_not_of(' '), text.size())));
    }

    /// "3[3000] -> 0[2000] [receive] via NET/Socket/0,0[2000] -> 1[3000] via P2P".
    RingNeighbours neighboursIn(std::string_view connections, int rank)
    {
        RingNeighbours found;
        while (!connections.empty()) {
            const std::size_t end = connections.find(',');
            const std::string_view one = connections.substr(0, end);
            const std::size_t arrow = one.find("->");
            connections
                = end == std::string_view::npos ? std::string_view() : connections.substr(end + 1);
            if (arrow == std::string_view::npos)
                continue;
            const auto from = numberAtFront(one);
            const auto to = numberAtFront(one.substr(arrow + 2));
            if (from == rank && to)
                found.next = to;
            if (to == rank && from)
                found.previous = from;
        }
        return found;
    }

} // namespace

NcclRings readRings(const BundleEntry &entry, int rank, TraceSink &sink)
{
    const nlohmann::json graph = readSideObject(entry, "nccl_rank_graph.json", sink);
    NcclRings rings;
    for (const char *key : { "Ring", "RingConnect" }) {
        const auto ring = graph.find(key);
        if (ring == graph.end() || !ring->is_object())
            continue;
        for (const auto &[channel, connections] : ring->items()) {
            const auto number = numberAtFront(channel);
            if (number && connections.is_string())
                rings[*number] = neighboursIn(connections.get_ref<const std::string &>(), rank);
        }
    }
    return rings;
}

std::vector<std::string> readGradientNames(const BundleEntry &entry, std::string_view folder,
                                           TraceSink &sink)
{
    std::vector<std::string> names;
    const nlohmann::json list
        = readSideObject(entry, std::string(folder) + "gradient_name_list.json", sink);
    const auto known = list.find("gradient_name_list");
    if (known != list.end() && known->is_array()) {
        for (const auto &name : *known)
            names.push_back(textOf(name));
        return names;
    }
    const nlohmann::json ids
        = readSideObject(entry, std::string(folder) + "gradient_name2ID.json", sink);
    for (const auto &[name, id] : ids.items()) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0
            || id.get<std::int64_t>() >= MostGradients)
            continue;
        const auto place = id.get<std::size_t>();
        names.resize(std::max(names.size(), place + 1));
        names[place] = cleanText(name);
    }
    return names;
}

} // namespace core
