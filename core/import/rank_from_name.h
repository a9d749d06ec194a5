#pragma once

#include <optional>
#include <string_view>

namespace core {

/// The rank that a trace's path names, for traces that do not say it themselves: first the file's
/// name, then the folders from the innermost out. Understood are "rank0", "rank_0", "rank-34",
/// "rank[0]", "worker3" and, for file names only, a number before the extension ("trace_0.json").
/// Times and process ids (more than 6 digits) are no ranks.
std::optional<int> rankFromName(std::string_view path);

/// The same of words only ("rank0", "worker3"): a number by itself may be anything.
std::optional<int> rankFromWords(std::string_view path);

} // namespace core
