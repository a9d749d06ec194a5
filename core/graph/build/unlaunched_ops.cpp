#include "core/graph/build/unlaunched_ops.h"

#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"
#include "core/base/shortened_name.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace core {

namespace {

    constexpr double NotedShare = 0.01; ///< of the time of a rank's device work

    /// Device ops of one or more ranks.
    struct DeviceWork
    {
        std::size_t ops = 0, unlaunched = 0;
        double ns = 0, unlaunchedNs = 0;
        /// Why not: their streams begin with them; they begin before their calls; no call.
        std::size_t first = 0, early = 0, lost = 0;
        std::int64_t earlyNs = 0; ///< by how much at most
        OpId lostOp = NoOp; ///< the first of them

        void add(const DeviceWork &other)
        {
            ops += other.ops;
            unlaunched += other.unlaunched;
            ns += other.ns;
            unlaunchedNs += other.unlaunchedNs;
            first += other.first;
            early += other.early;
            lost += other.lost;
            earlyNs = std::max(earlyNs, other.earlyNs);
            if (lostOp == NoOp)
                lostOp = other.lostOp;
        }
    };

    /// The op that launched it by their numbers, though not by their times.
    std::optional<OpId> callOf(const GraphContext &context, const OpSpec &spec)
    {
        const auto place = context.slices.find(spec.slice);
        if (!place)
            return std::nullopt;
        const Track &track = context.trace.tracks[place->track.value];
        return context.workers[spec.worker.value].launch(
            track.file, context.trace.slices[place->track.value].correlation[place->row]);
    }

    void addUnlaunched(const GraphContext &context, OpId op, bool isFirst, DeviceWork &work)
    {
        const OpSpec &spec = context.builder.op(op);
        if (const auto call = callOf(context, spec)) {
            ++work.early;
            work.earlyNs = std::max(
                work.earlyNs, context.builder.op(*call).measuredStartNs - spec.measuredStartNs);
        } else if (isFirst) {
            ++work.first;
        } else {
            ++work.lost;
            if (work.lostOp == NoOp)
                work.lostOp = op;
        }
    }

    void addStream(const GraphContext &context, const std::vector<OpId> &stream,
                   const std::vector<char> &isLaunched, DeviceWork &work)
    {
        // Of a stream that no call is recorded for, nothing tells when its ops were launched.
        bool isFirst = std::any_of(stream.begin(), stream.end(),
                                   [&isLaunched](OpId op) { return isLaunched[op.value] != 0; });
        for (const OpId op : stream) {
            const auto ns = static_cast<double>(context.measuredEndNs[op.value]
                                                - context.builder.op(op).measuredStartNs);
            ++work.ops;
            work.ns += ns;
            isFirst = isFirst && !isLaunched[op.value];
            if (isLaunched[op.value])
                continue;
            ++work.unlaunched;
            work.unlaunchedNs += ns;
            addUnlaunched(context, op, isFirst, work);
        }
    }

    std::string noteOf(const GraphContext &context, const std::vector<int> &ranks,
                       const DeviceWork &work)
    {
        std::string note = std::to_string(work.unlaunched) + " of " + std::to_string(work.ops)
            + " device operations of " + ranksText(ranks) + " ("
            + percentText(work.unlaunchedNs / work.ns)
            + " of their time) have no recorded launch, so what-ifs of the host do not move them";
        if (work.first > 0)
            note += "; " + std::to_string(work.first) + (work.first == 1 ? " was" : " were")
                + " launched before the first iteration (call torch.cuda.synchronize() before "
                  "it, or record more iterations)";
        if (work.early > 0)
            note += "; " + std::to_string(work.early)
                + (work.early == 1 ? " begins up to " : " begin up to ")
                + durationText(work.earlyNs) + " before "
                + (work.early == 1 ? "its call" : "their calls")
                + ", which is more than clocks differ by, or before all else of the thread";
        if (work.lost > 0)
            note += "; of " + std::to_string(work.lost) + " the call is not recorded, first of '"
                + shortenedName(
                        std::string(context.trace.nameOf(context.builder.op(work.lostOp).name)))
                + "' (record the host's calls, too: ProfilerActivity.CPU, nsys --trace=cuda)";
        return note + ".";
    }

    std::vector<char> launchedOps(const GraphContext &context)
    {
        std::vector<char> isLaunched(context.builder.size(), 0);
        for (const auto &edge : context.builder.edges())
            if (edge.kind == EdgeKind::Launch)
                isLaunched[edge.to.value] = 1;
        return isLaunched;
    }

} // namespace

void noteUnlaunchedOps(GraphContext &context)
{
    const std::vector<char> isLaunched = launchedOps(context);
    std::vector<int> ranks;
    DeviceWork all;
    for (std::uint32_t w = 0; w < context.workers.size(); ++w) {
        if (!context.workers[w].hasHost)
            continue;
        DeviceWork work;
        for (const std::vector<OpId> &stream : context.workers[w].streams)
            addStream(context, stream, isLaunched, work);
        if (work.unlaunchedNs <= NotedShare * work.ns)
            continue;
        ranks.push_back(context.trace.workers[w].rank);
        all.add(work);
    }
    if (!ranks.empty())
        context.builder.addNote(noteOf(context, ranks, all));
}

} // namespace core
