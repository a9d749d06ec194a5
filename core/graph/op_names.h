#pragma once

#include "core/graph/node_places.h"
#include "core/model/trace.h"

#include <cstddef>
#include <string>

namespace core {

/// Ops of the framework's own graph beside those that are on the timeline in their places.
struct OpNameCheck
{
    std::size_t compared = 0, same = 0;
    /// The first pair that differs: as the framework's graph calls it, and as the timeline does.
    std::string there, here;

    /// Numbers agree by chance, names do not: it is the graph of another program.
    bool isOfOtherProgram() const { return compared >= FewestCompared && 2 * same < compared; }

    static constexpr std::size_t FewestCompared = 4;
};

/// Compares the names that an execution trace of the worker gives to a sample of its ops (the
/// metadata OpNamesKey of its files) with those of the slices in their places. Projects of before
/// have no names: nothing is compared.
OpNameCheck checkOpNames(const Trace &trace, WorkerId worker, const NodePlaces &places);

} // namespace core
