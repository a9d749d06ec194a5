#pragma once

#include "core/change/change.h"
#include "core/graph/collectives/collective_algorithm.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The algorithm of all-reduces.
struct CollectiveChoice
{
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
    int servers = 1; ///< of ParameterServer
    friend bool operator==(const CollectiveChoice &, const CollectiveChoice &) = default;
};

/// "ring", "tree", "hierarchical", "colocated", "ps:2"; empty: it is none of them.
std::optional<CollectiveChoice> collectiveChoice(std::string_view text);
std::string choiceText(const CollectiveChoice &choice);

/// How links and what goes over them are to be; an absent field leaves that as measured.
struct LinkChanges
{
    std::optional<double> bandwidthMbit; ///< nominal rate of every inter-worker link, Mbit/s
    std::optional<double> bandwidthScale; ///< factor on the measured rate; 2 is twice as fast
    std::map<int, double> bandwidthMbitOf; ///< by rank: nominal rate of this rank's link, Mbit/s
    std::optional<double> latencyUs; ///< of one hop between two ranks
    std::optional<double> worldSize; ///< ranks
    std::optional<CollectiveChoice> collective;
    /// Factor on the bytes of each collective, by its index; empty: 1 for all.
    std::vector<double> payloadScale = {};

    double payloadScaleOf(std::size_t collectiveIndex) const
    {
        return payloadScale.empty() ? 1 : payloadScale[collectiveIndex];
    }
    bool changeRate() const { return bandwidthMbit || bandwidthScale || !bandwidthMbitOf.empty(); }
};

LinkChanges linkChanges(const Strategy &strategy);

/// How many ranks the job is to have; empty: as many as it has.
std::optional<double> wantedRanks(const Strategy &strategy);

} // namespace core
