#pragma once

#include "core/graph/graph.h"

#include <random>

namespace tests {

/// What a random graph has.
struct RandomGraphKind
{
    int mostOps = 60;
    int devices = 4;
    bool hasLinks = true; ///< devices that serve several ops at once, some within a credit
    bool hasPriorities = true; ///< devices that serve by priority
    bool preempts = true; ///< some of those set back what they serve
    bool interferes = false; ///< communication slows computation
    /// Ends of the first device, which is a link (Device::partOf) of two ranks, each slowing its
    /// own; with `interferes` and six devices or more.
    bool hasLinkEnds = false;
    /// Each op of some devices waits for the one before, as on a thread or a stream.
    bool hasChains = false;
    bool hasInstantOps = true; ///< ops without duration, virtual ones and others
    /// As many times the same ops one after the other, some of which wait for those of the time
    /// before, between the begin and the ends of iterations of one worker. 0: no iterations.
    int iterations = 0;
};

/// A layered graph: each op waits for up to three of those before it, with or without a delay.
core::Graph randomGraph(std::mt19937 &random, const RandomGraphKind &kind);

/// Of devices that serve one op after the other: its times follow from their order.
core::Graph randomOrderedGraph(std::mt19937 &random);

} // namespace tests
