#pragma once

#include "core/change/change_kind.h"
#include "core/graph/graph.h"

#include <memory>

namespace core {

/// Every rank as fast as the median rank: each op of a family (same name, phase and kind of device)
/// is scaled so that the family takes as long on its rank as on the median one, and then the work
/// of a rank's streams, and that of its threads, so that their sums are the median rank's.
/// Communication stays. Where nothing but communication is recorded of all ranks, their work is the
/// time until they hand it over. The median is that of the ranks with work of their own; parameter
/// servers have none.
Graph withIdealPeers(Graph graph);

/// ideal_peers: withIdealPeers().
std::unique_ptr<const ChangeKind> idealPeersChange();

} // namespace core
