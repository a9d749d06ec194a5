#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// Which iterations show DDP's reduction on every rank, with all its buckets: those in which
/// gradients can be reduced another way. The graph has gradient steps.
struct WholeIterations
{
    std::vector<std::int32_t> whole;
    std::vector<std::int32_t> unfit; ///< the others
    std::size_t fitSteps = 0; ///< rank iterations that show it

    /// Most are whole: of several at least two.
    bool areEnough() const;
    bool contains(std::int32_t iteration) const;
    /// Of two that follow each other the second one has what the first one leaves over to it.
    bool hasTwoInARow() const;
};

WholeIterations wholeIterations(const Graph &graph);

/// "1 of 12 iterations (number 7) stays as measured and ...": what the prediction leaves out and
/// why; empty where all are whole. Numbers are the trace's.
std::string leftOutText(const WholeIterations &iterations, const Graph &graph, const Trace &trace);

/// "Iteration 8 follows one that stays as measured ...": of a what-if of slices; `kept` are those
/// that it does not count. Empty where these are but those that leftOutText() names.
std::string followingText(const std::vector<std::int32_t> &kept, const Graph &graph,
                          const Trace &trace);

} // namespace core
