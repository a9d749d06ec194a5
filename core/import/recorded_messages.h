#pragma once

#include "core/import/chrome_event.h"

#include <optional>
#include <string_view>

namespace core {

/// One end of a message between a worker and a parameter server, as a reducer records it by hand:
/// what a worker sends in "PUSH t" the server receives in "RECV t", what the server sends in
/// "SEND t" the worker receives in "PULL t".
struct RecordedMessage
{
    bool isSend = false;
    int peer = 0; ///< rank of the other end
    std::string_view tensor; ///< view into the event's name
};

/// Absent for any other event, and where "peer" is no rank.
std::optional<RecordedMessage> recordedMessage(const ChromeEvent &event);

} // namespace core
