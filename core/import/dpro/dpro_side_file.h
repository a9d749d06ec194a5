#pragma once

#include "core/bundle/bundle.h"
#include "core/model/trace_sink.h"

#include <nlohmann/json.hpp>

#include <string>

namespace core {

/// The object in a small JSON file of a dPRO folder, by its path from `entry`; an empty one if
/// there is none. A file that cannot be used, or that takes more memory than the import may hold,
/// costs what it says, not the trace: it is counted under its own name.
nlohmann::json readSideObject(const BundleEntry &entry, const std::string &path, TraceSink &sink);

} // namespace core
