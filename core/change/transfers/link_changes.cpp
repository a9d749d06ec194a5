#include "core/change/transfers/link_changes.h"

#include <charconv>
#include <string>

namespace core {

std::optional<CollectiveChoice> collectiveChoice(std::string_view text)
{
    if (text == "ring")
        return CollectiveChoice { CollectiveAlgorithm::Ring, 1 };
    if (text == "tree")
        return CollectiveChoice { CollectiveAlgorithm::Tree, 1 };
    if (text == "hierarchical")
        return CollectiveChoice { CollectiveAlgorithm::Hierarchical, 1 };
    if (text == "colocated")
        return CollectiveChoice { CollectiveAlgorithm::ColocatedServers, 1 };
    if (!text.starts_with("ps:"))
        return std::nullopt;
    int servers = 0;
    const std::string_view number = text.substr(3);
    const char *const end = number.data() + number.size();
    const auto [last, error] = std::from_chars(number.data(), end, servers);
    if (error != std::errc() || last != end || servers < 1)
        return std::nullopt;
    return CollectiveChoice { CollectiveAlgorithm::ParameterServer, servers };
}

std::string choiceText(const CollectiveChoice &choice)
{
    switch (choice.algorithm) {
    case CollectiveAlgorithm::Ring:
        break;
    case CollectiveAlgorithm::Tree:
        return "tree";
    case CollectiveAlgorithm::Hierarchical:
        return "hierarchical";
    case CollectiveAlgorithm::ParameterServer:
        return "ps:" + std::to_string(choice.servers);
    case CollectiveAlgorithm::ColocatedServers:
        return "colocated";
    }
    return "ring";
}

LinkChanges linkChanges(const Strategy &strategy)
{
    LinkChanges changes;
    changes.bandwidthMbit = strategy.number("bandwidth_mbit");
    changes.bandwidthScale = strategy.number("bandwidth_scale");
    for (const Change *change : strategy.ofRanks("bandwidth_mbit"))
        for (const int rank : change->ranks)
            changes.bandwidthMbitOf[rank] = change->number().value_or(0);
    changes.latencyUs = strategy.number("latency_us");
    changes.worldSize = wantedRanks(strategy);
    if (const auto text = strategy.text("collective"))
        changes.collective = collectiveChoice(*text);
    return changes;
}

std::optional<double> wantedRanks(const Strategy &strategy)
{
    return strategy.number("world_size");
}

} // namespace core
