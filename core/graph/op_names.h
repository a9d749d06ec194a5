#pragma once

#include "core/graph/node_places.h"
#include "core/model/trace.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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

/// Names of a sample of ops, from the execution traces' metadata OpNamesKey. The trace must outlive
/// the object.
class OpNames
{
public:
    explicit OpNames(const Trace &trace);

    /// Compares those of the worker's files with the names of the slices in their places.
    OpNameCheck check(WorkerId worker, const NodePlaces &places) const;

private:
    const Trace &m_trace;
    /// By file: indices of Trace::metadata. Found once: every rank has metadata.
    std::map<std::string_view, std::vector<std::size_t>> m_ofFile;
};

} // namespace core
