#pragma once

#include "core/analyze/groups/process_groups.h"

#include <iosfwd>
#include <vector>

namespace core {

/// A line a process group: its name, role and ranks, and what the role is known from.
void printGroups(const std::vector<ProcessGroup> &groups, std::ostream &out);

} // namespace core
