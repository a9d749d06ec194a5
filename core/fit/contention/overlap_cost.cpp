#include "core/fit/contention/overlap_cost.h"

#include "core/fit/layers/op_traffic.h"
#include "core/measure/framework_ops.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace core {

namespace {

    /// Calls visit(track, row, sample) for outermost framework ops of all ranks.
    template <typename Visit>
    void visitSamples(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                      const JobControl &control, Visit visit)
    {
        for (const Track &track : trace.tracks) {
            if (track.kind != TrackKind::HostThread)
                continue;
            const SliceColumns &slices = trace.slices[track.id.value];
            BusyTimes::Place place = 0;
            visitFrameworkOps(
                trace, slices, 0, std::numeric_limits<std::int64_t>::max(), [&](std::size_t row) {
                    throwIfCancelled(control);
                    if (slices.durationNs[row] < ShortestFrameworkSampleNs)
                        return;
                    const TimeRange range { trace.toAligned(track.worker, slices.startNs[row]),
                                            trace.toAligned(track.worker, slices.endNs(row)) };
                    const auto ns = static_cast<double>(range.durationNs());
                    if (ns > 0)
                        visit(track, row,
                              OverlapSample { busy.shareOf(range, place) * bytesPerNs, std::log(ns),
                                              ns });
                });
        }
    }

} // namespace

OverlapCost costOfAlikeOps(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                           const JobControl &control)
{
    std::map<std::tuple<WorkerId, NameId, std::uint64_t>, OverlapFamily> families;
    std::size_t count = 0;
    visitSamples(
        trace, busy, bytesPerNs, control,
        [&](const Track &track, std::size_t row, OverlapSample sample) {
            const SliceColumns &slices = trace.slices[track.id.value];
            if (slices.phase[row] != Phase::Backward)
                return;
            sample.like = count++;
            families[{ track.worker, slices.name[row], slices.bytes[row] }].push_back(sample);
        });
    return costWithin(familiesOf(std::move(families)), false);
}

OverlapCost costOfProducts(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                           const JobControl &control)
{
    if (!trace.shapes)
        return {};
    using Kind = std::tuple<WorkerId, std::size_t>; // number of dimensions
    using OfShape = std::map<std::tuple<NameId, Shapes>, std::map<Kind, OverlapFamily>>;
    OfShape products;
    visitSamples(
        trace, busy, bytesPerNs, control,
        [&](const Track &track, std::size_t row, OverlapSample sample) {
            const NameId name = trace.slices[track.id.value].name[row];
            const Shapes &shapes = trace.shapes->of(track.id, row);
            const ProductSize size = productSize(trace.nameOf(name), shapes);
            if (size.multiplications <= 0)
                return;
            sample.logNs -= std::log(size.multiplications);
            products[{ name, shapes }][{ track.worker, size.dimensions }].push_back(sample);
        });
    std::map<Kind, OverlapFamily> means;
    std::size_t like = 0; // what suits a shape more or less does so on all ranks
    for (const auto &[shape, families] : products) {
        for (const auto &[kind, samples] : families) {
            means[kind].push_back(weightedMean(samples));
            means[kind].back().like = like;
        }
        ++like;
    }
    return costWithin(familiesOf(std::move(means)), true);
}

OverlapCost costAcrossRanks(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                            const JobControl &control)
{
    std::map<std::tuple<NameId, std::uint64_t>, std::vector<OverlapCell>> cells;
    visitSamples(trace, busy, bytesPerNs, control,
                 [&](const Track &track, std::size_t row, const OverlapSample &sample) {
                     const SliceColumns &slices = trace.slices[track.id.value];
                     const Phase phase = slices.phase[row];
                     if (phase != Phase::Forward && phase != Phase::Backward)
                         return;
                     auto &ofRank = cells[{ slices.name[row], slices.bytes[row] }];
                     ofRank.resize(trace.workers.size());
                     OverlapCell &cell = ofRank[track.worker.value];
                     cell.x += sample.x;
                     cell.logNs += sample.logNs;
                     cell.ns += sample.weight;
                     ++cell.samples;
                 });
    std::vector<OverlapOfRanks> families;
    families.reserve(cells.size());
    for (auto &[key, ofRank] : cells)
        families.push_back({ std::move(ofRank), 0 });
    return costBetweenRanks(std::move(families));
}

} // namespace core
