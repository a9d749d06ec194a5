#pragma once

#include "core/graph/build/graph_context.h"

#include <vector>

namespace core {

/// What a name means for cutting a thread into ops.
struct NameTraits
{
    bool isGradient
        = false; ///< a parameter's gradient becomes ready, or is copied out of its bucket
    bool isHandOff = false; ///< hands a collective to the backend
    bool isBlocking = false; ///< the host, until device work is done
    bool isWait = false; ///< an annotation around nothing but waiting
};

/// By NameId; the same for all workers.
std::vector<NameTraits> traitsOfNames(const Trace &trace);

/// Adds a worker's host ops, thread by thread: the outermost framework ops and runtime calls that
/// hold no launch, no synchronisation and no gradient hand-over inside; what holds one is opened
/// up. Time in which none of them runs is an op where it goes to loading the input, as an
/// annotation says, and else the delay of the op behind it.
void addHostOps(GraphContext &context, const std::vector<NameTraits> &traits, WorkerId worker);

} // namespace core
