#pragma once

#include "core/blocks/drawing.h"

#include <string>

namespace core {

/// The drawing for Graphviz: a cluster each lane.
std::string dotText(const Drawing &drawing);

/// The drawing as GraphML (yEd, Gephi, NetworkX): nodes with name, lane, times in ns, bytes, slack;
/// edges with their count, provenance, and whether the critical path takes them.
std::string graphmlText(const Drawing &drawing);

} // namespace core
