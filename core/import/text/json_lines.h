#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/bundle/bundle.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace core {

/// Gets one line's object, the same as text (of which numbers can be read exactly), and the offset
/// of the line in the entry.
using OnJsonLine = std::function<void(const nlohmann::json &object, std::string_view text,
                                      std::uint64_t offset)>;

/// Reads a file with one JSON object a line, in constant memory. A line that is no object, or that
/// is longer than 4 MiB, is left out and counted; so is a last line that was cut. Empty lines are
/// nothing. Throws Cancelled.
void readJsonLines(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control,
                   const OnJsonLine &onLine);

} // namespace core
