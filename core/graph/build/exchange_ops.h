#pragma once

#include "core/graph/build/exchanges.h"
#include "core/graph/build/graph_context.h"

#include <vector>

namespace core {

/// Adds, for every exchange, the virtual arrival of the last rank and the transfer on the link. A
/// CPU backend's collectives share one link, which serves as many at once as there are
/// communication threads; its messages share the link into or out of the rank that has more peers
/// (a parameter server); a device stream's are served one at a time. Measured durations of
/// transfers that shared the link are divided by how many did. A send that returned before its
/// transfer began ends by itself.
void addExchanges(GraphContext &context, const std::vector<Exchange> &exchanges);

} // namespace core
