#pragma once

#include "core/base/diagnostics.h"
#include "core/bundle/bundle.h"

#include <nlohmann/json.hpp>

#include <string>

namespace core {

/// The object in a small JSON file of a dPRO folder, by its path from `entry`; an empty one if
/// there is none. A file that cannot be used costs what it says, not the trace: it is counted under
/// its own name.
nlohmann::json readSideObject(const BundleEntry &entry, const std::string &path,
                              Diagnostics &diagnostics);

} // namespace core
