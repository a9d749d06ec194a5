#pragma once

#include "core/analyze/groups/process_groups.h"
#include "core/base/ranks_text.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace core {

/// "tensor parallel, ranks 0-7 (inferred)", "role not known, ranks 0-1".
std::string titleOf(const ProcessGroup &group);

/// The objects of "process_groups" in `--json`.
nlohmann::ordered_json toJson(const std::vector<ProcessGroup> &groups);

} // namespace core
