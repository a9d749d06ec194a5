#pragma once

#include "core/base/diagnostics.h"
#include "core/import/chrome/chrome_event.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace core {

/// The event's arguments as JSON that strict parsers accept, in `buffer` where they are not so as
/// they stand; empty for none.
std::string_view strictArgs(const ChromeEvent &event, std::string &buffer);

/// Counts what of an event is not kept as it was written, a diagnostic for each kind.
void countRepairs(const ChromeEvent &event, const std::string &file, std::uint64_t offset,
                  Diagnostics &diagnostics);

} // namespace core
