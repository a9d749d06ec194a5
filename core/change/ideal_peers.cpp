#include "core/change/ideal_peers.h"

#include "core/base/interval_set.h"
#include "core/change/rewriting.h"
#include "core/measure/bounded_time.h"
#include "core/measure/own_work.h"
#include "core/replay/latest_time.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

namespace core {

namespace {

    struct WorkTime
    {
        std::int64_t durationNs = 0, delayNs = 0;
    };

    bool isOnStream(const Graph &graph, std::size_t op)
    {
        return graph.devices[graph.device[op].value].isStream;
    }

    std::int64_t scaledWork(std::int64_t ns, std::int64_t from, std::int64_t to)
    {
        if (from <= 0)
            return ns;
        return boundedNs(static_cast<double>(ns) * static_cast<double>(to)
                         / static_cast<double>(from));
    }

    /// Sums of each op family on the workers that have it, and their medians over those with work
    /// of their own.
    class OpFamilies
    {
    public:
        OpFamilies(const Graph &graph, const std::vector<bool> &isOwn)
            : m_graph(graph)
            , m_familyOf(graph.size())
        {
            std::map<std::tuple<NameId, Phase, bool>, std::uint32_t> families;
            for (std::size_t op = 0; op < graph.size(); ++op) {
                if (!isOwn[op])
                    continue;
                const auto next = static_cast<std::uint32_t>(families.size());
                m_familyOf[op]
                    = families
                          .try_emplace({ graph.name[op], graph.phase[op], isOnStream(graph, op) },
                                       next)
                          .first->second;
                WorkTime &sum = m_sums[key(op)];
                sum.durationNs = laterNs(sum.durationNs, graph.durationNs[op]);
                sum.delayNs = laterNs(sum.delayNs, graph.delayNs[op]);
            }
            setMedians(families.size());
        }

        /// Scales the op, one of a family, to the median rank's time. What most ranks do not have
        /// (layers of other pipeline stages) stays.
        WorkTime onMedianRank(std::size_t op, const WorkTime &time) const
        {
            const WorkTime &own = m_sums.at(key(op));
            const WorkTime &median = m_medians[m_familyOf[op]];
            if (median.durationNs + median.delayNs == 0)
                return time;
            return { scaledWork(time.durationNs, own.durationNs, median.durationNs),
                     scaledWork(time.delayNs, own.delayNs, median.delayNs) };
        }

    private:
        std::uint64_t key(std::size_t op) const
        {
            return std::uint64_t { m_familyOf[op] } << 32 | m_graph.worker[op].value;
        }

        void setMedians(std::size_t families)
        {
            std::vector<std::vector<std::int64_t>> durations(families), delays(families);
            for (const auto &[familyAndWorker, sum] : m_sums) {
                durations[familyAndWorker >> 32].push_back(sum.durationNs);
                delays[familyAndWorker >> 32].push_back(sum.delayNs);
            }
            const std::size_t ranks = ranksWithOwnWork(m_graph);
            m_medians.reserve(families);
            for (std::size_t family = 0; family < families; ++family)
                m_medians.push_back({ medianOfRanks(std::move(durations[family]), ranks),
                                      medianOfRanks(std::move(delays[family]), ranks) });
        }

        const Graph &m_graph;
        std::vector<std::uint32_t> m_familyOf; ///< by OpId; of own work
        std::unordered_map<std::uint64_t, WorkTime> m_sums; ///< by family and worker
        std::vector<WorkTime> m_medians; ///< by family
    };

    /// Of threads, then of streams: what each worker's own work takes, by WorkerId.
    using WorkByPlace = std::array<std::vector<std::int64_t>, 2>;

    WorkByPlace workByPlace(const Graph &graph, const std::vector<bool> &isOwn)
    {
        WorkByPlace work;
        for (std::vector<std::int64_t> &ns : work)
            ns.assign(graph.workerCount(), 0);
        for (std::size_t op = 0; op < graph.size(); ++op) {
            std::int64_t &sumNs = work[isOnStream(graph, op) ? 1 : 0][graph.worker[op].value];
            if (isOwn[op])
                sumNs = laterNs(laterNs(sumNs, graph.durationNs[op]), graph.delayNs[op]);
        }
        return work;
    }

    /// Hiccups hit another family on each rank, and no median holds them: the whole has to come out
    /// as on the median rank, too. Streams and threads each for themselves: a slow host does not
    /// make kernels longer.
    void scaleToMedianRank(Graph &graph, const std::vector<bool> &isOwn,
                           const WorkByPlace &measured)
    {
        const WorkByPlace made = workByPlace(graph, isOwn);
        const std::array<std::int64_t, 2> typicalNs
            = { medianOfWorking(measured[0]), medianOfWorking(measured[1]) };
        for (std::size_t op = 0; op < graph.size(); ++op) {
            if (!isOwn[op])
                continue;
            const std::size_t place = isOnStream(graph, op) ? 1 : 0;
            const std::int64_t fromNs = made[place][graph.worker[op].value];
            graph.durationNs[op] = scaledWork(graph.durationNs[op], fromNs, typicalNs[place]);
            graph.delayNs[op] = scaledWork(graph.delayNs[op], fromNs, typicalNs[place]);
        }
    }

    /// By WorkerId: when a rank has come to a collective and others have not. Aligned.
    std::vector<IntervalSet> waitingOfRanks(const Graph &graph)
    {
        std::vector<std::vector<TimeRange>> waits(graph.workerCount());
        for (const CollectiveNode &node : graph.collectives)
            for (const CollectiveNode::Part &part : node.parts)
                waits[part.worker.value].push_back(
                    { part.startNs, graph.measuredStartNs[node.transfer.value] });
        std::vector<IntervalSet> sets;
        sets.reserve(waits.size());
        for (std::vector<TimeRange> &ranges : waits)
            sets.emplace_back(std::move(ranges));
        return sets;
    }

    std::int64_t waitedNs(const IntervalSet &set, const TimeRange &range)
    {
        const std::vector<TimeRange> &all = set.intervals();
        auto at = std::lower_bound(
            all.begin(), all.end(), range.startNs,
            [](const TimeRange &interval, std::int64_t ns) { return interval.endNs <= ns; });
        std::int64_t sumNs = 0;
        for (; at != all.end() && at->startNs < range.endNs; ++at)
            sumNs += std::min(at->endNs, range.endNs) - std::max(at->startNs, range.startNs);
        return sumNs;
    }

    /// A thread that only polls would go on setting the pace where a wait for it was inferred: of
    /// an accelerated rank's polling goes what it does while the rank waits for others.
    void shortenPolling(Graph &graph, const std::vector<bool> &isOwn)
    {
        const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
        const std::vector<IntervalSet> waiting = waitingOfRanks(graph);
        for (std::size_t op = 0; op < graph.size(); ++op) {
            const std::size_t worker = graph.worker[op].value;
            if (isOwn[op] || graph.kind[op] == OpKind::Communication || !isAccelerated[worker])
                continue;
            const TimeRange polling { graph.measuredStartNs[op] - graph.delayNs[op],
                                      graph.measuredStartNs[op] };
            graph.delayNs[op] -= waitedNs(waiting[worker], polling);
        }
    }

} // namespace

Graph withIdealPeers(Graph graph)
{
    const std::vector<bool> isOwn = ownWork(graph);
    const WorkByPlace measured = workByPlace(graph, isOwn);
    const OpFamilies families(graph, isOwn);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        if (!isOwn[op])
            continue;
        const WorkTime time
            = families.onMedianRank(op, { graph.durationNs[op], graph.delayNs[op] });
        graph.durationNs[op] = time.durationNs;
        graph.delayNs[op] = time.delayNs;
    }
    shortenPolling(graph, isOwn);
    scaleToMedianRank(graph, isOwn, measured);
    return graph;
}

namespace {

    constexpr std::string_view PeersKey = "ideal_peers";

    constexpr std::array<ChangeTraits, 1> PeersTraits { {
        { .key = PeersKey,
          .unit = "0 or 1",
          .least = 0,
          .most = 1,
          .isWhole = true,
          .form = ChangeForm::Switch,
          .group = ChangeGroup::Computation,
          .effects = effect::Shares,
          .title = "No stragglers",
          .hint = "Every rank as fast as the median one" },
    } };

    class IdealPeers : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return PeersTraits; }
        Stage stage() const override { return Stage::Work; }

        std::optional<std::string> obstacle(const MeasuredJob &job, const Change &) const override
        {
            const std::size_t ranks = ranksWithOwnWork(job.graph);
            if (ranks > 1)
                return std::nullopt;
            if (job.graph.workerCount() < 2)
                return "the project holds one rank, which has no peers. Import the traces of the "
                       "others, too.";
            return "of " + std::to_string(ranks) + " of " + std::to_string(job.graph.workerCount())
                + " ranks work of their own is recorded, which leaves nothing to compare. Import "
                  "traces of what the others compute, too.";
        }

        void apply(Rewriting &rewriting) const override
        {
            if (rewriting.strategy().isOn(PeersKey))
                rewriting.set(withIdealPeers(rewriting.graph()));
        }

        std::string noChangeReason(const MeasuredJob &, const Strategy &,
                                   const Change &) const override
        {
            return "its ranks are equally fast already";
        }

        /// Where only the time between transfers is recorded, a rank's work and its waiting may be
        /// taken for one another.
        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            constexpr double Noise = 0.02; // what a replay of the unchanged trace is good for
            const bool isLonger = static_cast<double>(evidence.predictedNs)
                > (1 + Noise) * static_cast<double>(evidence.unchangedNs);
            if (!evidence.strategy.isOn(PeersKey) || evidence.strategy.changes.size() != 1
                || !isLonger)
                return {};
            return { { TrustLevel::Poor,
                       "Ranks that are equally fast should not take longer than those that are "
                       "recorded: what of their time is work and what is waiting is not told apart "
                       "in the trace." } };
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> idealPeersChange()
{
    return std::make_unique<IdealPeers>();
}

} // namespace core
