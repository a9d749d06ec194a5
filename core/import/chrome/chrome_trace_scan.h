#pragma once

#include "core/import/chrome/chrome_trace_reader.h"
#include "core/import/text/json_window.h"

#include <string>

namespace core {

/// Finds what stands in a Chrome trace-event file and gives it to the consumer; see
/// readChromeTrace(). Throws Error if there is no list of events, and Cancelled.
void scanChromeTrace(JsonWindow &window, Diagnostics &diagnostics, ChromeTraceConsumer &consumer,
                     const std::string &file);

} // namespace core
