#include "core/analyze/iterations.h"

#include "core/model/by_worker.h"
#include "core/model/rounds.h"
#include "core/model/slice_index.h"
#include "core/model/step_marks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

namespace core {

namespace {

    constexpr std::string_view OptimizerPrefix = "Optimizer.step#";

    /// What every worker's iterations are looked for in.
    struct Search
    {
        const Trace &trace;
        WorkerTracks tracks;
    };

    std::vector<Iteration> statedIterations(const Trace &trace, WorkerId worker)
    {
        const std::span<const Iteration> known = iterationsOf(trace.iterations, worker);
        std::vector<Iteration> stated;
        std::copy_if(known.begin(), known.end(), std::back_inserter(stated),
                     [](const Iteration &iteration) { return iteration.isStated; });
        return stated;
    }

    template <class Visit>
    void visitSlices(const Search &search, WorkerId worker, Visit visit)
    {
        for (const Track *track : search.tracks.of(worker)) {
            const SliceColumns &slices = search.trace.slices[track->id.value];
            for (std::size_t row = 0; row < slices.size(); ++row)
                visit(*track, slices, row);
        }
    }

    std::vector<Iteration> fromProfilerSteps(const Search &search, WorkerId worker)
    {
        std::map<std::int64_t, TimeRange> byNumber;
        visitSlices(
            search, worker, [&](const Track &track, const SliceColumns &slices, std::size_t row) {
                if (track.kind != TrackKind::HostThread)
                    return;
                if (const auto n = profilerStepNumber(search.trace.nameOf(slices.name[row])))
                    byNumber.emplace(*n, TimeRange { slices.startNs[row], slices.endNs(row) });
            });
        std::vector<Iteration> iterations;
        iterations.reserve(byNumber.size());
        for (const auto &[number, range] : byNumber)
            iterations.push_back({ worker, number, range });
        return iterations;
    }

    /// A model may have several optimizers; the one that ends last bounds the steps.
    std::vector<Iteration> fromOptimizerSteps(const Search &search, WorkerId worker)
    {
        std::map<std::string_view, std::vector<std::int64_t>> endsByName;
        visitSlices(
            search, worker, [&](const Track &track, const SliceColumns &slices, std::size_t row) {
                const std::string &name = search.trace.nameOf(slices.name[row]);
                if (track.kind == TrackKind::HostThread && name.starts_with(OptimizerPrefix))
                    endsByName[name].push_back(slices.endNs(row));
            });
        const std::vector<std::int64_t> *last = nullptr;
        for (auto &entry : endsByName) {
            std::sort(entry.second.begin(), entry.second.end());
            if (entry.second.size() >= 2 && (!last || entry.second.back() > last->back()))
                last = &entry.second;
        }
        std::vector<Iteration> iterations;
        for (std::size_t i = 1; last && i < last->size(); ++i)
            iterations.push_back(
                { worker, static_cast<std::int64_t>(i - 1), { (*last)[i - 1], (*last)[i] } });
        return iterations;
    }

    /// [workers]; where nothing marks steps but collectives name their tensors: parameter servers,
    /// Horovod.
    std::vector<std::vector<Iteration>> fromTensorRounds(const Trace &trace)
    {
        std::vector<std::vector<Iteration>> iterations(trace.workers.size());
        std::unordered_map<std::uint64_t, WorkerId> reductions;
        for (const CollectiveCall &call : trace.collectives)
            if (call.kind == "all_reduce")
                reductions.emplace(call.slice.value, call.worker);
        if (reductions.empty())
            return iterations;
        const SliceIndex slices(trace);
        std::vector<Rounds> rounds(trace.workers.size());
        for (const TensorUse &use : trace.tensorUses)
            if (const auto found = reductions.find(use.slice.value);
                found != reductions.end() && slices.find(use.slice))
                rounds[found->second.value].add(
                    use.tensor.value, { slices.startNs(use.slice), slices.endNs(use.slice) });
        for (std::uint32_t w = 0; w < rounds.size(); ++w)
            for (const TimeRange &range : rounds[w].iterations())
                iterations[w].push_back(
                    { WorkerId(w), static_cast<std::int64_t>(iterations[w].size()), range });
        return iterations;
    }

    /// First start to last end of a worker's slices; empty if it has none.
    std::optional<TimeRange> recordingOf(const Search &search, WorkerId worker)
    {
        std::optional<TimeRange> whole;
        visitSlices(search, worker,
                    [&whole](const Track &, const SliceColumns &slices, std::size_t row) {
                        const TimeRange range { slices.startNs[row], slices.endNs(row) };
                        if (!whole)
                            whole = range;
                        whole->startNs = std::min(whole->startNs, range.startNs);
                        whole->endNs = std::max(whole->endNs, range.endNs);
                    });
        return whole;
    }

    /// The steps of another worker, in this one's clock: a parameter server marks none of its own.
    /// Only those in which this worker recorded anything; a file may be empty, or of another job.
    std::vector<Iteration> borrowed(const Search &search, const std::vector<Iteration> &from,
                                    WorkerId worker)
    {
        const std::optional<TimeRange> recorded = recordingOf(search, worker);
        if (!recorded)
            return {};
        std::vector<Iteration> own = from;
        for (Iteration &iteration : own) {
            const std::int64_t atNs = iteration.range.startNs;
            const std::int64_t shiftNs = search.trace.toAligned(worker, atNs)
                - search.trace.toAligned(iteration.worker, atNs);
            iteration.worker = worker;
            iteration.isStated = false;
            iteration.range.startNs -= shiftNs;
            iteration.range.endNs -= shiftNs;
        }
        std::erase_if(own, [&recorded](const Iteration &iteration) {
            return !iteration.range.overlaps(*recorded);
        });
        return own;
    }

    std::vector<Iteration> allAsOne(const Search &search, WorkerId worker)
    {
        const std::optional<TimeRange> whole = recordingOf(search, worker);
        if (!whole)
            return {};
        return { { worker, 0, *whole } };
    }

} // namespace

std::vector<Iteration> detectIterations(const Trace &trace)
{
    const Search search { trace, WorkerTracks(trace) };
    std::vector<std::vector<Iteration>> marked(trace.workers.size());
    const std::vector<Iteration> *first = nullptr;
    for (const Worker &worker : trace.workers) {
        std::vector<Iteration> &own = marked[worker.id.value];
        own = statedIterations(trace, worker.id);
        if (own.empty())
            own = fromProfilerSteps(search, worker.id);
        if (own.empty())
            own = fromOptimizerSteps(search, worker.id);
        if (!first && !own.empty())
            first = &own;
    }
    const bool isAllMarked
        = std::none_of(marked.begin(), marked.end(), [](const auto &own) { return own.empty(); });
    const auto ofRounds = isAllMarked ? marked : fromTensorRounds(trace);
    std::vector<Iteration> all;
    for (const Worker &worker : trace.workers) {
        std::vector<Iteration> own = marked[worker.id.value];
        if (own.empty() && first)
            own = borrowed(search, *first, worker.id);
        if (own.empty())
            own = ofRounds[worker.id.value];
        if (own.empty())
            own = allAsOne(search, worker.id);
        std::sort(own.begin(), own.end(), [](const Iteration &a, const Iteration &b) {
            return a.range.startNs < b.range.startNs;
        });
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

bool marksIteration(std::string_view name)
{
    return profilerStepNumber(name) || name.starts_with(OptimizerPrefix);
}

} // namespace core
