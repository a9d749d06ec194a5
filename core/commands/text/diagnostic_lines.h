#pragma once

#include "core/base/diagnostics.h"

#include <string>
#include <vector>

namespace core {

/// Diagnostics for a terminal, one line each: "warning: rank0.json at byte 12: Message (3 times)".
/// Those that say the same of several files share a line: "rank0.json and 7 more files". In the
/// order of the first of each.
std::vector<std::string> diagnosticLines(const std::vector<Diagnostic> &diagnostics);

} // namespace core
