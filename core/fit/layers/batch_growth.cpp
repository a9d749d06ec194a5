#include "core/fit/layers/batch_growth.h"

#include "core/fit/layers/layer_shapes.h"
#include "core/measure/layer_compute.h"
#include "core/model/by_worker.h"

#include <algorithm>
#include <map>
#include <utility>

namespace core {

namespace {

    constexpr std::int64_t ShortestStreamingNs = 20'000; ///< shorter ops are mostly dispatch

    /// Of one worker.
    class GrowthOfWorker
    {
    public:
        GrowthOfWorker(const Trace &trace, const SliceIndex &index,
                       const std::vector<const Track *> &tracks, const OpShapes &shapes,
                       bool isAccelerated)
            : m_trace(trace)
            , m_index(index)
            , m_tracks(tracks)
            , m_isAccelerated(isAccelerated)
            , m_layers(trace, tracks, shapes,
                       isAccelerated ? MemoryPasses::ofAccelerator() : MemoryPasses::ofHost())
        {
            if (isAccelerated)
                findLaunchers();
        }

        /// A part of the time of a layer's op.
        void addWork(SliceId slice, std::int64_t ns)
        {
            const auto place = m_index.find(slice);
            if (!place)
                return;
            m_workNs[slice] += static_cast<double>(ns);
            if (const SliceIndex::Place *launcher = launcherOf(*place))
                m_launchedNs[idOf(*launcher)] += static_cast<double>(ns);
        }

        void addTo(BatchGrowth &growth) const
        {
            const auto rate = m_isAccelerated ? rateOfKernels() : rateOfThreads();
            if (!rate)
                return;
            for (const auto &[slice, ns] : m_workNs) {
                const SliceIndex::Place place = *m_index.find(slice);
                const WorkShapes work = shapesOf(place);
                if (work.knownShare <= 0)
                    continue;
                const double bytesShare
                    = rate->nsPerByte * work.fixedBytes / std::max(1.0, familyNs(place, ns));
                const auto bounded
                    = [](double share) { return static_cast<float>(std::clamp(share, 0.0, 1.0)); };
                growth[slice.value] = { bounded(work.fixedShare + bytesShare),
                                        bounded(work.fixedShare + rate->uncertainty * bytesShare + 1
                                                - work.knownShare) };
            }
        }

    private:
        using InFile = std::pair<FileId, std::uint64_t>; ///< an id that a file gives

        /// Which ops with shapes launch kernels: the innermost around the call that launches, or
        /// that the kernel names itself.
        void findLaunchers()
        {
            for (const Track *track : m_tracks)
                if (track->kind == TrackKind::HostThread)
                    findLaunchersOf(*track);
        }

        void findLaunchersOf(const Track &track)
        {
            const SliceColumns &slices = m_trace.slices[track.id.value];
            std::vector<std::size_t> open;
            for (std::size_t row = 0; row < slices.size(); ++row) {
                while (!open.empty() && slices.endNs(open.back()) <= slices.startNs[row])
                    open.pop_back();
                if (m_layers.hasShapes({ track.id, row })) {
                    open.push_back(row);
                    if (slices.externalId[row] != 0)
                        m_byExternalId[{ track.file, slices.externalId[row] }] = { track.id, row };
                } else if (slices.category[row] == Category::Runtime && slices.correlation[row] != 0
                           && !open.empty()) {
                    m_byCall[{ track.file, slices.correlation[row] }] = { track.id, open.back() };
                }
            }
        }

        const SliceIndex::Place *launcherOf(SliceIndex::Place kernel) const
        {
            if (!m_isAccelerated)
                return nullptr;
            const SliceColumns &slices = m_trace.slices[kernel.track.value];
            const FileId file = m_trace.tracks[kernel.track.value].file;
            const auto call = m_byCall.find({ file, slices.correlation[kernel.row] });
            if (call != m_byCall.end())
                return &call->second;
            const auto op = m_byExternalId.find({ file, slices.externalId[kernel.row] });
            return op == m_byExternalId.end() ? nullptr : &op->second;
        }

        SliceId idOf(SliceIndex::Place place) const
        {
            return SliceId(m_trace.tracks[place.track.value].firstSlice.value + place.row);
        }

        WorkShapes shapesOf(SliceIndex::Place place) const
        {
            if (!m_isAccelerated)
                return m_layers.ofHostSlice(place);
            const SliceIndex::Place *launcher = launcherOf(place);
            return launcher ? m_layers.ofLaunches(*launcher) : WorkShapes {};
        }

        /// Of all kernels of the op that a kernel is of, whose bytes they share.
        double familyNs(SliceIndex::Place place, double ns) const
        {
            const SliceIndex::Place *launcher = launcherOf(place);
            return launcher ? m_launchedNs.at(idOf(*launcher)) : ns;
        }

        std::optional<MemoryRate> rateOfThreads() const
        {
            MemoryRateSamples samples;
            m_layers.visitStreamingOps([&](SliceIndex::Place place) {
                const SliceColumns &slices = m_trace.slices[place.track.value];
                // Backward, transfers share the cores and the memory.
                if (slices.phase[place.row] != Phase::Backward)
                    addSample(samples, slices.name[place.row], place, slices.durationNs[place.row]);
            });
            return samples.rate();
        }

        std::optional<MemoryRate> rateOfKernels() const
        {
            MemoryRateSamples samples;
            for (const Track *track : m_tracks) {
                if (track->kind != TrackKind::Stream)
                    continue;
                const SliceColumns &slices = m_trace.slices[track->id.value];
                for (std::size_t row = 0; row < slices.size(); ++row)
                    if (const auto *launcher = launcherOf({ track->id, row }))
                        addSample(samples,
                                  m_trace.slices[launcher->track.value].name[launcher->row],
                                  *launcher, slices.durationNs[row]);
            }
            return samples.rate();
        }

        void addSample(MemoryRateSamples &samples, NameId name, SliceIndex::Place op,
                       std::int64_t ns) const
        {
            if (ns >= ShortestStreamingNs)
                samples.add(name, m_layers.streamedBytes(op), static_cast<double>(ns));
        }

        const Trace &m_trace;
        const SliceIndex &m_index;
        const std::vector<const Track *> &m_tracks; ///< of the worker
        bool m_isAccelerated;
        LayerShapes m_layers;
        std::map<SliceId, double> m_workNs;
        std::map<InFile, SliceIndex::Place> m_byCall, m_byExternalId;
        std::map<SliceId, double> m_launchedNs; ///< of an op's kernels
    };

} // namespace

BatchGrowth batchGrowth(const Trace &trace, const OpShapes &shapes, const Graph &graph)
{
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    const SliceIndex index(trace);
    const WorkerTracks tracks(trace);
    std::vector<std::vector<std::size_t>> layers(trace.workers.size());
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (const std::size_t worker = graph.worker[op].value;
            graph.slice[op] != NoSlice && isLayerCompute(graph, op, isAccelerated[worker]))
            layers[worker].push_back(op);
    BatchGrowth growth;
    for (const Worker &worker : trace.workers) {
        GrowthOfWorker own(trace, index, tracks.of(worker.id), shapes,
                           isAccelerated[worker.id.value]);
        for (const std::size_t op : layers[worker.id.value])
            own.addWork(graph.slice[op], graph.durationNs[op]);
        own.addTo(growth);
    }
    return growth;
}

double BatchModel::fixedShare(SliceId slice) const
{
    if (reading == BatchReading::AllGrows)
        return 0;
    FixedShare share;
    if (growth)
        if (const auto found = growth->find(slice.value); found != growth->end())
            share = found->second;
    return static_cast<double>(reading == BatchReading::Likely ? share.likely : share.most);
}

FixedTime fixedTimeOf(const Graph &graph, const BatchModel &batch)
{
    if (!batch.growth)
        return {};
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    const BatchModel least = batch.read(BatchReading::LeastGrows);
    double allNs = 0, likelyNs = 0, mostNs = 0;
    for (std::size_t op = 0; op < graph.size(); ++op) {
        if (!isLayerCompute(graph, op, isAccelerated[graph.worker[op].value]))
            continue;
        const auto ns = static_cast<double>(graph.durationNs[op]);
        allNs += ns;
        likelyNs += ns * batch.fixedShare(graph.slice[op]);
        mostNs += ns * least.fixedShare(graph.slice[op]);
    }
    return allNs > 0 ? FixedTime { likelyNs / allNs, mostNs / allNs } : FixedTime {};
}

} // namespace core
