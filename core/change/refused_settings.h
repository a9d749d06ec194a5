#pragma once

#include "core/change/settings.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// Throws Error if there is an obstacle, which says why: "KEY cannot be changed on this trace: ".
/// Of the keys those that are set, as people wrote them: "bandwidth_mbit:1".
void refuseFor(const std::optional<std::string> &obstacle, const ScenarioSettings &settings,
               std::initializer_list<std::string_view> keys);

} // namespace core
