#pragma once

#include "core/model/trace.h"

#include <cstddef>
#include <set>

namespace core {

/// Each worker's last iteration, where its recording breaks off inside of it: a file that was cut
/// has the marks of more steps than it has work of. As indices of trace.iterations, which are by
/// worker and time.
std::set<std::size_t> brokenOffIterations(const Trace &trace);

} // namespace core
