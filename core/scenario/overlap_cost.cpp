#include "core/scenario/overlap_cost.h"

#include "core/scenario/framework_ops.h"
#include "core/scenario/op_traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t SmallestFamily = 3;

    struct Sample
    {
        double rate = 0; ///< bytes a nanosecond on the link, mean over the op
        double logNs = 0; ///< of products: for a multiplication
        double weight = 0; ///< duration
        std::size_t like = 0; ///< samples of one number may err together
    };

    template <typename Key>
    using Families = std::map<Key, std::vector<Sample>>;

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
                              Sample { busy.shareOf(range, place) * bytesPerNs, std::log(ns), ns });
                });
        }
    }

    Sample weightedMean(const std::vector<Sample> &samples)
    {
        Sample mean;
        for (const Sample &s : samples) {
            mean.rate += s.weight * s.rate;
            mean.logNs += s.weight * s.logNs;
            mean.weight += s.weight;
        }
        mean.rate /= mean.weight;
        mean.logNs /= mean.weight;
        return mean;
    }

    /// Weighted slope within families.
    template <typename Key>
    double slopeWithin(const Families<Key> &families, double &xx)
    {
        double xy = 0;
        for (const auto &[key, samples] : families) {
            const Sample mean = weightedMean(samples);
            for (const Sample &s : samples) {
                xx += s.weight * std::pow(s.rate - mean.rate, 2);
                xy += s.weight * (s.rate - mean.rate) * (s.logNs - mean.logNs);
            }
        }
        return xx > 0 ? xy / xx : 0;
    }

    /// With the error that allows for unequal scatter, and for samples that err together: of many
    /// samples as White (1980), of few as MacKinnon and White (1985, HC3).
    template <typename Key>
    OverlapCost costWithin(Families<Key> families, bool areFew)
    {
        std::erase_if(families,
                      [](const auto &family) { return family.second.size() < SmallestFamily; });
        double xx = 0;
        OverlapCost cost;
        cost.nsPerByte = slopeWithin(families, xx);
        if (xx <= 0)
            return cost;
        std::vector<double> pulls; // of samples that err together
        for (const auto &[key, samples] : families) {
            const Sample mean = weightedMean(samples);
            for (const Sample &s : samples) {
                const double x = s.rate - mean.rate;
                const double residual = s.logNs - mean.logNs - cost.nsPerByte * x;
                const double leverage = s.weight * x * x / xx + s.weight / mean.weight;
                const double left = areFew ? std::max(1e-9, 1 - leverage) : 1;
                pulls.resize(std::max(pulls.size(), s.like + 1), 0);
                pulls[s.like] += s.weight * x * residual / left;
            }
            cost.samples += samples.size();
        }
        double scatter = 0;
        for (const double pull : pulls)
            scatter += pull * pull;
        cost.standardError = std::sqrt(scatter) / xx;
        return cost;
    }

    /// What an op of one family takes on one rank: sums over its samples, then their means.
    struct Cell
    {
        double rate = 0, logNs = 0, samples = 0, ns = 0;
    };
    struct RankFamily
    {
        std::vector<Cell> ofRank; ///< [ranks]
        double weight = 0; ///< the time of its ops, of all ranks together
    };

    /// Takes out what is the family's on all ranks, and the rank's in all families (the two-way
    /// within transformation: Baltagi, Econometric Analysis of Panel Data, section 3.2).
    void takeOutMeans(std::vector<RankFamily> &families, double Cell::*value)
    {
        const std::size_t ranks = families.front().ofRank.size();
        std::vector<double> ofRank(ranks, 0);
        double weight = 0;
        for (RankFamily &family : families) {
            double mean = 0;
            for (const Cell &cell : family.ofRank)
                mean += cell.*value / static_cast<double>(ranks);
            weight += family.weight;
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                family.ofRank[rank].*value -= mean;
                ofRank[rank] += family.weight * family.ofRank[rank].*value;
            }
        }
        for (RankFamily &family : families)
            for (std::size_t rank = 0; rank < ranks; ++rank)
                family.ofRank[rank].*value -= ofRank[rank] / weight;
    }

    /// Of families and ranks without their means. The error is of families that err together (HC3).
    OverlapCost costBetween(const std::vector<RankFamily> &families)
    {
        double xx = 0, xy = 0, weight = 0;
        for (const RankFamily &family : families) {
            weight += family.weight;
            for (const Cell &cell : family.ofRank) {
                xx += family.weight * cell.rate * cell.rate;
                xy += family.weight * cell.rate * cell.logNs;
            }
        }
        OverlapCost cost;
        if (xx <= 0)
            return cost;
        cost.nsPerByte = xy / xx;
        double scatter = 0;
        for (const RankFamily &family : families) {
            double pull = 0, own = 0;
            for (const Cell &cell : family.ofRank) {
                pull += family.weight * cell.rate * (cell.logNs - cost.nsPerByte * cell.rate);
                own += family.weight * cell.rate * cell.rate;
                cost.samples += static_cast<std::size_t>(cell.samples);
            }
            const double leverage = own / xx + family.weight / weight;
            scatter += std::pow(pull / std::max(1e-9, 1 - leverage), 2);
        }
        cost.standardError = std::sqrt(scatter) / xx;
        return cost;
    }

} // namespace

OverlapCost costOfAlikeOps(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                           const JobControl &control)
{
    Families<std::tuple<WorkerId, NameId, std::uint64_t>> families;
    std::size_t count = 0;
    visitSamples(
        trace, busy, bytesPerNs, control, [&](const Track &track, std::size_t row, Sample sample) {
            const SliceColumns &slices = trace.slices[track.id.value];
            if (slices.phase[row] != Phase::Backward)
                return;
            sample.like = count++;
            families[{ track.worker, slices.name[row], slices.bytes[row] }].push_back(sample);
        });
    return costWithin(std::move(families), false);
}

OverlapCost costOfProducts(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                           const JobControl &control)
{
    if (!trace.shapes)
        return {};
    using Kind = std::tuple<WorkerId, std::size_t>; // number of dimensions
    using OfShape = std::map<std::tuple<NameId, Shapes>, Families<Kind>>;
    OfShape products;
    visitSamples(
        trace, busy, bytesPerNs, control, [&](const Track &track, std::size_t row, Sample sample) {
            const NameId name = trace.slices[track.id.value].name[row];
            const Shapes &shapes = trace.shapes->of(track.id, row);
            const ProductSize size = productSize(trace.nameOf(name), shapes);
            if (size.multiplications <= 0)
                return;
            sample.logNs -= std::log(size.multiplications);
            products[{ name, shapes }][{ track.worker, size.dimensions }].push_back(sample);
        });
    Families<Kind> means;
    std::size_t like = 0; // what suits a shape more or less does so on all ranks
    for (const auto &[shape, families] : products) {
        for (const auto &[kind, samples] : families) {
            means[kind].push_back(weightedMean(samples));
            means[kind].back().like = like;
        }
        ++like;
    }
    return costWithin(std::move(means), true);
}

OverlapCost costAcrossRanks(const Trace &trace, const BusyTimes &busy, double bytesPerNs,
                            const JobControl &control)
{
    std::map<std::tuple<NameId, std::uint64_t>, std::vector<Cell>> cells;
    visitSamples(trace, busy, bytesPerNs, control,
                 [&](const Track &track, std::size_t row, const Sample &sample) {
                     const SliceColumns &slices = trace.slices[track.id.value];
                     const Phase phase = slices.phase[row];
                     if (phase != Phase::Forward && phase != Phase::Backward)
                         return;
                     auto &ofRank = cells[{ slices.name[row], slices.bytes[row] }];
                     ofRank.resize(trace.workers.size());
                     Cell &cell = ofRank[track.worker.value];
                     cell.rate += sample.rate;
                     cell.logNs += sample.logNs;
                     cell.ns += sample.weight;
                     ++cell.samples;
                 });
    std::vector<RankFamily> families;
    for (auto &[key, ofRank] : cells) {
        if (std::any_of(ofRank.begin(), ofRank.end(), [](const Cell &c) { return c.samples == 0; }))
            continue;
        RankFamily family;
        for (Cell &cell : ofRank) {
            cell.rate /= cell.samples;
            cell.logNs /= cell.samples;
            family.weight += cell.ns;
        }
        family.ofRank = std::move(ofRank);
        families.push_back(std::move(family));
    }
    if (families.size() < SmallestFamily || trace.workers.size() < 2)
        return {};
    takeOutMeans(families, &Cell::rate);
    takeOutMeans(families, &Cell::logNs);
    return costBetween(families);
}

} // namespace core
