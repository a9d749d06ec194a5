#pragma once

#include "core/import/chrome/chrome_event_list.h"
#include "core/import/importer.h"

#include <string_view>

namespace core {

/// Gets the contents of a Chrome trace-event file in the order of the file.
class ChromeTraceConsumer : public ChromeEventConsumer
{
public:
    /// Before the first event: the file is a trace.
    virtual void beginEvents() { }
    /// A member of the outermost object other than traceEvents; `value` as it stands in the file.
    virtual void addMember(std::string_view, std::string_view, std::uint64_t) { }
};

/// Reads a file in the Chrome trace-event format, whatever wrote it: a list of events, or an object
/// with the list under `traceEvents` and other keys around it in any order, or a piece of either
/// that begins with an event. One pass, constant
/// memory. The consumer is called by the caller's thread, while another one reads the entry, a few
/// batches of events ahead, and polls `control`; what the consumer throws ends both. Damage costs
/// the damaged place and is counted in `diagnostics`; a list or an object that is not closed is
/// read to the end of the file. Throws Error if there is no list of events, and Cancelled.
void readChromeTrace(BundleEntry &entry, Diagnostics &diagnostics, ChromeTraceConsumer &consumer,
                     const JobControl &control);

} // namespace core
