#pragma once

#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <map>
#include <vector>

namespace core {

/// Buckets that were under way at once shared the link as it came about: a small one that
/// the other's data queue before took far longer than its bytes. At another rate, where
/// it may have the link to itself, what they took together is each one's by its bytes.
///
/// By collective, in ns; `showsLatency` as showLatency() tells.
std::map<std::size_t, double> workSharedByBytes(const Graph &measured, const Trace &trace,
                                                const LinkModels &links,
                                                const std::vector<bool> &showsLatency);

} // namespace core
