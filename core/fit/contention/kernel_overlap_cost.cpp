#include "core/fit/contention/kernel_overlap_cost.h"

#include "core/measure/student_t.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace core {

namespace {

    /// The older files of Kineto have whole microseconds.
    constexpr std::int64_t ShortestKernelNs = 10'000;
    constexpr double NormalT95 = 1.96;
    constexpr float MostWaiting = 0.1F; ///< of its time, of a kernel that counts
    /// Of ln(duration): times have whole nanoseconds at best.
    constexpr double TimingError = 1.0 / static_cast<double>(ShortestKernelNs);

    /// Which of the framework's ops launched a kernel, with how many bytes of input.
    class LaunchingOps
    {
    public:
        LaunchingOps(const Trace &trace, const JobControl &control)
            : m_trace(trace)
            , m_index(trace)
        {
            for (const Track &track : trace.tracks) {
                throwIfCancelled(control);
                if (track.kind == TrackKind::HostThread)
                    addTrack(track);
            }
        }

        struct Op
        {
            NameId name;
            std::uint64_t bytes = 0;
            auto operator<=>(const Op &) const = default;
        };

        /// Empty where it is not known.
        std::optional<Op> of(SliceId kernel) const
        {
            const auto place = m_index.find(kernel);
            if (!place)
                return std::nullopt;
            const SliceColumns &slices = m_trace.slices[place->track.value];
            const Track &track = m_trace.tracks[place->track.value];
            const auto ofFile = m_ofFile.find({ track.worker, track.file });
            if (ofFile == m_ofFile.end())
                return std::nullopt;
            const OpsById &call = ofFile->second.byCall, &op = ofFile->second.byExternalId;
            if (const auto found = call.find(slices.correlation[place->row]); found != call.end())
                return found->second;
            const auto found = op.find(slices.externalId[place->row]);
            return found == op.end() ? std::nullopt : std::optional(found->second);
        }

    private:
        using OpsById = std::unordered_map<std::uint64_t, Op>;
        struct OfFile
        {
            OpsById byCall, byExternalId;
        };

        /// The innermost op with input around the call that launches, or that the kernel names.
        void addTrack(const Track &track)
        {
            const SliceColumns &slices = m_trace.slices[track.id.value];
            OfFile &ofFile = m_ofFile[{ track.worker, track.file }];
            std::vector<std::size_t> open;
            for (std::size_t row = 0; row < slices.size(); ++row) {
                while (!open.empty() && slices.endNs(open.back()) <= slices.startNs[row])
                    open.pop_back();
                if (slices.category[row] == Category::CpuOp && slices.bytes[row] > 0) {
                    open.push_back(row);
                    if (slices.externalId[row] != 0)
                        ofFile.byExternalId[slices.externalId[row]] = opAt(slices, row);
                } else if (slices.category[row] == Category::Runtime && slices.correlation[row] != 0
                           && !open.empty()) {
                    ofFile.byCall[slices.correlation[row]] = opAt(slices, open.back());
                }
            }
        }

        static Op opAt(const SliceColumns &slices, std::size_t row)
        {
            return { slices.name[row], slices.bytes[row] };
        }

        const Trace &m_trace;
        SliceIndex m_index;
        std::map<std::pair<WorkerId, FileId>, OfFile> m_ofFile;
    };

    /// Where a kernel is launched, which may be an iteration before it runs.
    std::int32_t iterationOf(const Graph &graph, std::uint32_t op)
    {
        for (const Edge &edge : graph.predecessors(OpId(op)))
            if (edge.kind == EdgeKind::Launch)
                return graph.iteration[edge.op.value];
        return graph.iteration[op];
    }

    /// The kernels of one name on one stream, by iteration and in their order.
    using KernelsOfName = std::map<std::pair<DeviceId, NameId>, std::vector<std::vector<OpId>>>;

    KernelsOfName kernelsOf(const Graph &graph)
    {
        KernelsOfName kernels;
        for (std::uint32_t op = 0; op < graph.size(); ++op) {
            const std::int32_t iteration = isKernel(graph, op) ? iterationOf(graph, op) : -1;
            if (iteration < 0)
                continue;
            auto &ofName = kernels[{ graph.device[op], graph.name[op] }];
            ofName.resize(static_cast<std::size_t>(graph.iterationCount));
            ofName[static_cast<std::size_t>(iteration)].push_back(OpId(op));
        }
        return kernels;
    }

    /// How many kernels most iterations have; the others' places are not theirs.
    std::size_t usualCount(const std::vector<std::vector<OpId>> &iterations)
    {
        std::map<std::size_t, std::size_t> times;
        for (const std::vector<OpId> &ops : iterations)
            ++times[ops.size()];
        const auto most
            = std::max_element(times.begin(), times.end(),
                               [](const auto &a, const auto &b) { return a.second < b.second; });
        return most == times.end() ? 0 : most->first;
    }

    /// One kernel in all iterations.
    struct KernelPlace
    {
        WorkerId worker;
        DeviceId stream;
        NameId name;
        std::size_t number = 0; ///< of its name on its stream, in an iteration
        OpId first;
    };

    class KernelComparison
    {
    public:
        KernelComparison(const Graph &graph, const KernelOverlap &overlap)
            : m_graph(graph)
            , m_overlap(overlap)
        {
            for (const auto &[key, iterations] : kernelsOf(graph))
                addPlaces(key.first, key.second, iterations);
            weighOutliersLess(m_samples);
        }

        bool isEmpty() const { return m_samples.empty(); }

        OverlapCost ofSame() const { return costWithin(m_samples, true); }

        OverlapCost ofAlike(const LaunchingOps &launching) const
        {
            using Op = LaunchingOps::Op;
            std::map<std::tuple<WorkerId, NameId, Op>, OverlapFamily> families;
            std::map<std::tuple<NameId, Op, std::size_t>, std::size_t> likes;
            for (std::size_t i = 0; i < m_places.size(); ++i) {
                const KernelPlace &place = m_places[i];
                const auto op = launching.of(m_graph.slice[place.first.value]);
                if (!op)
                    continue;
                OverlapSample mean = weightedMean(m_samples[i]);
                mean.like = likes.try_emplace({ place.name, *op, place.number }, likes.size())
                                .first->second;
                families[{ place.worker, place.name, *op }].push_back(mean);
            }
            auto list = familiesOf(std::move(families));
            weighOutliersLess(list);
            return costWithin(list, true);
        }

        OverlapCost acrossRanks() const
        {
            std::map<WorkerId, std::size_t> ranks;
            for (const KernelPlace &place : m_places)
                ranks.try_emplace(place.worker, ranks.size());
            std::map<std::tuple<std::string_view, NameId, std::size_t>, OverlapOfRanks> families;
            for (std::size_t i = 0; i < m_places.size(); ++i) {
                const KernelPlace &place = m_places[i];
                OverlapOfRanks &family = families[{ m_graph.devices[place.stream.value].name,
                                                    place.name, place.number }];
                family.ofRank.resize(ranks.size());
                const OverlapSample mean = weightedMean(m_samples[i]);
                family.ofRank[ranks.at(place.worker)] = { mean.x, mean.logNs, 1, mean.weight };
            }
            std::vector<OverlapOfRanks> list;
            list.reserve(families.size());
            for (auto &[key, family] : families)
                list.push_back(std::move(family));
            return costBetweenRanks(std::move(list));
        }

    private:
        std::optional<OverlapSample> sampleOf(OpId op) const
        {
            const std::int64_t ns = m_graph.durationNs[op.value];
            if (ns < ShortestKernelNs || m_overlap.isCrowded[op.value]
                || m_overlap.waiting[op.value] > MostWaiting)
                return std::nullopt;
            const auto weight = static_cast<double>(ns);
            return OverlapSample { static_cast<double>(m_overlap.transfer[op.value]),
                                   std::log(weight), weight, m_places.size() };
        }

        void addPlaces(DeviceId stream, NameId name,
                       const std::vector<std::vector<OpId>> &iterations)
        {
            const std::size_t count = usualCount(iterations);
            for (std::size_t number = 0; number < count; ++number) {
                OverlapFamily samples;
                OpId first = NoOp;
                for (const std::vector<OpId> &ops : iterations) {
                    const auto sample = ops.size() == count ? sampleOf(ops[number]) : std::nullopt;
                    if (sample) {
                        samples.push_back(*sample);
                        first = ops[number];
                    }
                }
                if (samples.empty())
                    continue;
                m_samples.push_back(std::move(samples));
                m_places.push_back({ m_graph.worker[first.value], stream, name, number, first });
            }
        }

        const Graph &m_graph;
        const KernelOverlap &m_overlap;
        std::vector<KernelPlace> m_places;
        std::vector<OverlapFamily> m_samples; ///< of m_places
    };

    /// Of kernels that overlap as much, or nearly so, equal times tell nothing, and few places in
    /// the iteration little: with an error that is as wide as Student's t makes the interval.
    OverlapCost withItsError(OverlapCost cost)
    {
        if (cost.deviation <= 0)
            return cost;
        const auto degrees = static_cast<std::size_t>(std::max(1.0, std::floor(cost.groups) - 1));
        cost.standardError = std::hypot(cost.standardError, TimingError / cost.deviation)
            * studentT95(degrees) / NormalT95;
        return cost;
    }

} // namespace

OverlapCost KernelOverlapCost::joined() const
{
    OverlapCost all;
    double precision = 0;
    for (const OverlapCost &cost : { same, alike, acrossRanks }) {
        if (cost.standardError <= 0)
            continue;
        const double own = 1 / (cost.standardError * cost.standardError);
        all.slope += own * cost.slope;
        all.samples += cost.samples;
        precision += own;
    }
    if (precision > 0) {
        all.slope /= precision;
        all.standardError = 1 / std::sqrt(precision);
    }
    return all;
}

KernelOverlapCost costOfKernels(const Graph &measured, const Trace &trace,
                                const KernelOverlap &overlap, const JobControl &control)
{
    if (std::none_of(overlap.transfer.begin(), overlap.transfer.end(),
                     [](float share) { return share > 0; }))
        return {};
    const KernelComparison kernels(measured, overlap);
    if (kernels.isEmpty())
        return {};
    return { withItsError(kernels.ofSame()),
             withItsError(kernels.ofAlike(LaunchingOps(trace, control))),
             withItsError(kernels.acrossRanks()) };
}

} // namespace core
