#include "core/align/clock_evidence.h"

#include "core/align/align.h"
#include "core/align/message_matching.h"
#include "core/model/recording_times.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace core {

namespace {

    /// Collectives that no rank can leave before all have come. A broadcast, reduce, send or
    /// receive lets ranks go on alone.
    constexpr std::array<std::string_view, 7> SynchronisingKinds
        = { "all_reduce",     "all_gather", "all_to_all", "all_to_allv",
            "reduce_scatter", "barrier",    "send_recv" };
    /// gloo sends nothing before the receiver has said that it is ready, so that no rank leaves
    /// a broadcast before the ranks that it sends to have come.
    constexpr std::string_view RendezvousBroadcast = "gloo:broadcast";

} // namespace

bool isSynchronising(std::string_view kind)
{
    return std::find(SynchronisingKinds.begin(), SynchronisingKinds.end(), kind)
        != SynchronisingKinds.end();
}

ClockEvidence clockEvidence(const Trace &trace, const JobControl &control)
{
    std::vector<std::string> notes;
    const SliceIndex slices(trace);
    ClockEvidence evidence;
    evidence.recorded = recordedTimes(trace.tracks, trace.workers.size());
    for (const MatchedCollective &matched : matchCollectives(trace, notes, control.part(0, 0.8))) {
        throwIfCancelled(control);
        const CollectiveCall &first = trace.collectives[matched.calls.front()];
        const bool endsTogether = isSynchronising(first.kind);
        // Of more than two, a rank of a broadcast's tree may leave before one it does not serve.
        if (!endsTogether
            && (matched.calls.size() > 2 || slices.name(first.slice) != RendezvousBroadcast))
            continue;
        ObservedCollective &collective = evidence.collectives.emplace_back();
        collective.endsTogether = endsTogether;
        collective.bytes = first.bytes;
        for (const std::size_t index : matched.calls) {
            const CollectiveCall &call = trace.collectives[index];
            collective.parts.push_back(
                { call.worker.value, slices.startNs(call.slice), slices.endNs(call.slice) });
        }
    }
    for (const MatchedMessage &matched : matchMessages(trace, notes, control.part(0.8, 1))) {
        throwIfCancelled(control);
        const auto part = [&](std::size_t index) {
            const TransferCall &end = trace.transfers[index];
            return ObservedPart { end.worker.value, slices.startNs(end.slice),
                                  slices.endNs(end.slice) };
        };
        evidence.messages.push_back({ part(matched.sent), part(matched.received) });
    }
    return evidence;
}

} // namespace core
