#pragma once

#include "core/model/trace.h"

#include <string_view>
#include <vector>

namespace core {

/// True for calls that block the host until device work is done (cudaDeviceSynchronize,
/// hipStreamSynchronize, urEventWait, aclrtSynchronizeStream ..., block_until_ready of JAX).
bool isBlockingCall(std::string_view name);
/// Those that wait for all of the device's work, not for one stream's or event's.
bool waitsForDevice(std::string_view name);
/// Those that wait for all work of the device, or of a stream.
bool waitsForStream(std::string_view name);

/// Calls by NameId that block the host, by their names or by what they do: a call of the runtime
/// that launches nothing, and that returns, most times it is made while the device has work, when
/// the last activity of a stream that was launched before has ended. Looks at times on the raw
/// clock.
std::vector<char> namesThatBlock(const Trace &trace);

} // namespace core
