#pragma once

#include "core/change/change.h"

#include <string>
#include <vector>

namespace core {

/// The keys with their units, for help texts: "  bandwidth_scale: factor" a line.
std::string changeKeysText();

/// Parses "KEY=VALUE" words; throws UsageError naming the word, the allowed keys and ranges.
Strategy parseStrategy(const std::vector<std::string> &words);

} // namespace core
