#pragma once

#include "core/graph/graph.h"

#include <string>

namespace core {

/// The first rule of Graph that one breaks, naming the op or collective; empty where it keeps all:
/// columns of one length, ids in range, edges from a smaller to a larger id (so there is no
/// cycle), times that are not negative, and collectives whose arrival and ranks' parts come
/// before the transfer.
std::string graphFault(const Graph &graph);

} // namespace core
