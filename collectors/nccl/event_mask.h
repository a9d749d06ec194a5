#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace collectors {

/// Collectives, sends and receives with their network steps, kernel channels and API calls.
int defaultEventMask();

/// Of LONGPOLE_NCCL_EVENTS: names of events separated by commas ("Coll,P2p,ProxyStep"), or a number
/// as NCCL counts them ("0x5e"). Absent if a name is not known.
std::optional<int> eventMask(std::string_view text);

} // namespace collectors
