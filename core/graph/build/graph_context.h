#pragma once

#include "core/graph/build/numbered_ops.h"
#include "core/graph/graph_builder.h"
#include "core/model/by_worker.h"
#include "core/model/slice_index.h"
#include "core/model/trace.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace core {

/// What is written in whole microseconds can seem to end this much late.
inline constexpr std::int64_t ClockRoundingNs = 2'000;

/// By how much a device's clock may be behind its host's: 64 us were seen in traces of Kineto,
/// whose conversion of CUPTI's times drifts; ten times that is left. Further off, a number is not
/// that call's.
inline constexpr std::int64_t MostClockSkewNs = 1'000'000;

/// What the steps of buildGraph share while the graph grows. Times are aligned.
struct GraphContext
{
    /// The trace must outlive it.
    explicit GraphContext(const Trace &analysed)
        : trace(analysed)
        , slices(analysed)
        , tracks(analysed)
        , builder(analysed.names)
        , opsOfTracks(analysed.slices.size())
    {
    }

    const Trace &trace;
    SliceIndex slices;
    WorkerTracks tracks;
    GraphBuilder builder;
    std::shared_ptr<const std::vector<MatchedCollective>> matched; ///< findExchanges() sets it
    bool hasSteps = false; ///< iterations are known, not the whole recording taken for one
    std::vector<std::int64_t> measuredEndNs; ///< by OpId, beside the builder's ops

    /// One worker's ops by what they run on.
    struct WorkerOps
    {
        std::vector<TimeRange> iterations; ///< aligned
        std::vector<std::int64_t> iterationNumbers; ///< the trace's, of each of `iterations`
        TimeRange window; ///< first iteration's start to the last one's end
        OpId begin; ///< virtual: the first iteration begins
        std::optional<TrackId> mainThread; ///< the thread that runs the iterations
        std::optional<std::size_t> mainOps; ///< its index in threads; absent: it has no op
        /// The host that drives the worker is recorded: it launches device ops or, without devices,
        /// does the work itself. Threads beside it (dPRO's input) do not tell what it did.
        bool hasHost = false;
        std::vector<std::vector<OpId>>
            threads; ///< host ops, a vector a host thread, in order of time
        std::vector<std::vector<OpId>>
            streams; ///< device ops and ready ops of collectives, in order of time
        /// Ready and plain ops of communication threads or rows, in the order of adding.
        std::vector<OpId> calls;
        /// Host ops by what their file numbers them with.
        std::map<FileId, NumberedOps> launches;

        /// The host op with a correlation id of `file`.
        std::optional<OpId> launch(FileId file, std::uint64_t correlation) const
        {
            const auto ofFile = launches.find(file);
            return ofFile == launches.end() ? std::nullopt : ofFile->second.find(correlation);
        }
    };
    std::vector<WorkerOps> workers; ///< by WorkerId

    /// By track and row, empty where no slice of the track became one: see opAt().
    std::vector<std::vector<OpId>> opsOfTracks;
    /// Host slices that hand a collective to a CPU backend (c10d::allreduce_ ...) -> the op that
    /// ends with the hand-off.
    std::unordered_map<std::uint64_t, OpId> handOff;
    /// By OpId, as far as set: of a collective's ready op its transfer, whose end is what others
    /// wait for; NoOp of others.
    std::vector<OpId> transferOfReady;
    /// Device ops that begin before their calls, as clocks differ (see launchOf()) -> these calls.
    std::unordered_map<std::uint32_t, OpId> earlyCalls;
    /// Indices into trace.collectives by the ids of their slices; streamLanes() sets it at need.
    std::vector<std::size_t> collectivesBySlice;

    OpId addOp(OpSpec spec, std::int64_t endNs)
    {
        measuredEndNs.push_back(endNs);
        return builder.addOp(spec);
    }
    SliceId sliceId(TrackId track, std::size_t row) const
    {
        return SliceId(trace.slices[track.value].first.value + row);
    }
    /// The op that a slice became; for a collective's part its ready op. NoOp: it became none.
    OpId opAt(TrackId track, std::size_t row) const
    {
        const std::vector<OpId> &ops = opsOfTracks[track.value];
        return ops.empty() ? NoOp : ops[row];
    }
    void setOpAt(TrackId track, std::size_t row, OpId op)
    {
        std::vector<OpId> &ops = opsOfTracks[track.value];
        if (ops.empty())
            ops.resize(trace.slices[track.value].size(), NoOp);
        ops[row] = op;
    }
    /// As opAt(); the trace may not have the slice.
    OpId opOfSlice(SliceId slice) const
    {
        const auto place = slices.find(slice);
        return place ? opAt(place->track, place->row) : NoOp;
    }
    bool isReadyOp(OpId op) const
    {
        return op.value < transferOfReady.size() && transferOfReady[op.value] != NoOp;
    }
    void setTransferOf(OpId ready, OpId transfer)
    {
        if (ready.value >= transferOfReady.size())
            transferOfReady.resize(builder.size(), NoOp);
        transferOfReady[ready.value] = transfer;
    }
    /// The op whose end completes what `op` began: the transfer for a part of a collective, else
    /// the op itself.
    OpId completion(OpId op) const { return isReadyOp(op) ? transferOfReady[op.value] : op; }
    /// Whether a device slice is work of the recorded iterations: it begins within them or, where
    /// an accelerator is behind its host, after their end but was launched within them. After
    /// addHostOps().
    bool isOfIterations(const Track &track, std::size_t row) const;
    /// The host op that launched a device slice, if that is recorded. Where the slice begins before
    /// it (the clocks of host and device differ, or a call that is no op of its own has another one
    /// in its place), the last one of its thread that had ended by then. After addHostOps().
    std::optional<OpId> launchOf(const Track &track, std::size_t row) const;
    /// The call itself, by its number.
    std::optional<OpId> callOf(const Track &track, std::size_t row) const;
    /// Index of the last iteration that began by the (aligned) time; -1 before the first.
    std::int32_t iterationAt(WorkerId worker, std::int64_t ns) const;
    /// The host op of the worker's main thread that ended last by `ns`; else its begin.
    OpId lastHostOpBy(WorkerId worker, std::int64_t ns) const;
    /// The last host op of the thread of `op` that had ended by `ns`.
    std::optional<OpId> lastOfThreadBy(OpId op, std::int64_t ns) const;
    /// The reducer makes views of the bucket (aten::as_strided) before its first copy out: the
    /// first of these, else `firstCopy` itself.
    OpId firstOfCopyGroup(WorkerId worker, OpId firstCopy) const;
};

} // namespace core
