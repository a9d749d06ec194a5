#pragma once

#include "core/import/chrome/chrome_event.h"

#include <optional>
#include <string_view>

namespace core {

/// What a name such as "PUSH layer.weight" begins with.
struct MessageVerb
{
    std::string_view prefix; ///< "PUSH ", with the space
    bool isSend = false;
};

/// PUSH, PULL, SEND or RECV; absent for any other name.
std::optional<MessageVerb> messageVerb(std::string_view name);

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

/// What a reducer notes by hand of a part of an all-reduce: "allreduce t slice=3 bytes=1024" or
/// "allreduce bucket=2 bytes=1024".
struct RecordedReduction
{
    std::string_view tensor; ///< that it is a slice of; empty for a bucket. Still escaped
    std::string_view readyUs; ///< when the data was complete, in the file's clock; empty: unknown
};

/// Of the arguments "tensor" and "ready_us".
RecordedReduction recordedReduction(const ChromeEvent &event);

} // namespace core
