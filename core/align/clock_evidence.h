#pragma once

#include "core/base/job_control.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace core {

/// What one worker recorded of something that several took part in. Raw clock, nanoseconds.
struct ObservedPart
{
    std::size_t worker = 0;
    std::int64_t startNs = 0, endNs = 0;
};

/// One collective as the clocks of its participants saw it: none leaves before all have come.
struct ObservedCollective
{
    std::vector<ObservedPart> parts;
    /// Ranks leave nearly together (an all-reduce), so that ends tell the offset; else only the
    /// order of entering and leaving does (a broadcast whose sender waits for the receivers).
    bool endsTogether = true;
    std::uint64_t bytes = 0; ///< payload; 0 unknown
};

/// One message: it cannot have arrived before it was sent.
struct ObservedMessage
{
    ObservedPart sent, received;
};

/// What a trace says about the clocks of its workers.
struct ClockEvidence
{
    std::vector<ObservedCollective> collectives;
    std::vector<ObservedMessage> messages;
    /// By worker, raw: its times, which the clock is used for. Empty: those of the parts.
    std::vector<std::optional<TimeRange>> recorded;
};

/// Whether no rank can leave a collective of this kind before all have come.
bool isSynchronising(std::string_view kind);

/// All matched collectives whose ranks wait for each other, and all matched messages.
ClockEvidence clockEvidence(const Trace &trace, const JobControl &control);

} // namespace core
