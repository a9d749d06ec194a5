#pragma once

#include <cstddef>
#include <cstdint>

// What the stand-in for libcupti offers to the program that plays the CUDA application. It behaves
// as told by the environment when loaded:
//   STAND_IN_VERSION   what cuptiGetVersion() says (130001)
//   STAND_IN_BUSY      a name: somebody of that name has subscribed already
//   STAND_IN_REFUSE    a number: that kind cannot be enabled
//   STAND_IN_AHEAD_NS  its clock is that much ahead of CLOCK_REALTIME
extern "C" {

/// An activity record of this thread, if its kind is enabled. 1: it was, whether or not it found
/// room.
int standInEmit(const void *record, std::size_t size);
int standInIsEnabled(std::uint32_t kind);
/// Records that were enabled, and those of them that found no buffer.
std::uint64_t standInEmitted();
std::uint64_t standInDropped();
/// The innermost external id that this thread has pushed; 0: none.
std::uint64_t standInExternalId();
/// Calls the subscriber, if it has enabled that.
void standInCallback(std::uint32_t domain, std::uint32_t id, const void *data);
}
