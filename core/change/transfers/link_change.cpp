#include "core/change/transfers/link_change.h"

#include "core/change/checked_factor.h"
#include "core/change/named_ranks.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfer_obstacles.h"
#include "core/change/transfers/transfers.h"
#include "core/fit/links/collective_cost.h"
#include "core/fit/links/link_text.h"
#include "core/measure/gradient_collectives.h"
#include "core/measure/group_places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace core {

namespace {

    constexpr std::string_view MbitKey = "bandwidth_mbit", ScaleKey = "bandwidth_scale",
                               LatencyKey = "latency_us", RanksKey = "world_size",
                               AlgorithmKey = "collective";

    /// What is not recorded is the same for any number of ranks, so nothing but the jobs that there
    /// are bounds it: the largest have somewhat more than 100,000 (Si et al., Collective
    /// Communication for 100k+ GPUs, arXiv 2510.20171); the next power of two.
    constexpr double MostWorldSize = 131'072;

    constexpr unsigned OfRate = effect::Rate | effect::Transfers;
    constexpr unsigned OfHops = effect::Transfers | effect::Latency;

    constexpr std::array<ChangeWord, 5> AlgorithmWords { {
        { "ring", "Ring" },
        { "tree", "Tree" },
        { "hierarchical", "Hierarchical" },
        { "colocated", "Servers beside the ranks" },
        { "ps", "Parameter server", "servers" },
    } };

    constexpr std::array<ChangeTraits, 5> LinkTraits { {
        { .key = MbitKey,
          .unit = "Mbit/s",
          .least = 1e-3,
          .most = 1e9,
          .isOfRank = true,
          .group = ChangeGroup::Network,
          .effects = OfRate,
          .title = "Link bandwidth",
          .hint = "Nominal rate of every link",
          .slider = { 10, 400'000, 1000, 0, false, " Mbit/s" },
          .titleOfRanks = "This rank's link",
          .hintOfRanks = "Nominal rate of its link",
          .initialOfRanks = 1000 },
        { .key = ScaleKey,
          .unit = "factor",
          .least = 1e-3,
          .most = 1e6,
          .group = ChangeGroup::Network,
          .effects = OfRate,
          .title = "Bandwidth factor",
          .hint = "Times the measured rate",
          .slider = { 0.1, 10, 2, 2, false, " \u00d7" } },
        { .key = LatencyKey,
          .unit = "us",
          .least = 0,
          .most = 1e7,
          .group = ChangeGroup::Network,
          .effects = OfHops,
          .title = "Latency",
          .hint = "Time of one hop between two ranks",
          .slider = { 0.1, 100'000, 50, 1, false, " \u00b5s" } },
        { .key = RanksKey,
          .unit = "ranks",
          .least = 1,
          .most = MostWorldSize,
          .isWhole = true,
          .whyMost = "No job is known that has more. The recorded ranks stand for all: take a "
                     "number that is near theirs, or record more ranks.",
          .group = ChangeGroup::Network,
          .effects = OfHops | effect::Ranks,
          .title = "Ranks",
          .hint = "World size; more ranks like these",
          .slider = { 1, 4096, 8, 0, false, {} } },
        { .key = AlgorithmKey,
          .unit = "ring, tree, hierarchical, colocated or ps:N (N servers)",
          .form = ChangeForm::Word,
          .group = ChangeGroup::Network,
          .effects = OfHops | effect::Algorithm,
          .title = "All-reduce algorithm",
          .hint = "Measured transfers are taken to be rings",
          .words = AlgorithmWords },
    } };

    std::vector<LinkModel> modelList(const LinkModels &links)
    {
        std::vector<LinkModel> list;
        for (const auto &[key, model] : links)
            list.push_back(model);
        return list;
    }

    /// Models of the transfers that some of the ranks take part in; of no ranks all models.
    std::set<const LinkModel *> modelsOf(const MeasuredJob &job, const std::vector<int> &ranks)
    {
        std::set<const LinkModel *> models;
        if (ranks.empty()) {
            for (const auto &[key, model] : job.links)
                models.insert(&model);
            return models;
        }
        for (const CollectiveNode &node : job.graph.collectives)
            if (std::any_of(node.parts.begin(), node.parts.end(), [&](const auto &part) {
                    return std::find(ranks.begin(), ranks.end(),
                                     job.trace.workers[part.worker.value].rank)
                        != ranks.end();
                }))
                if (const LinkModel *model
                    = modelOf(job.links, job.graph.device[node.transfer.value], node, job.trace))
                    models.insert(model);
        return models;
    }

    std::optional<std::string> obstacleOfRate(const MeasuredJob &job, const Change &change)
    {
        if (auto obstacle = rankObstacle(job.trace, change))
            return obstacle;
        for (const LinkModel *model : modelsOf(job, change.ranks)) {
            if (auto obstacle = rateObstacle(*model))
                return obstacle;
            if (change.key == MbitKey)
                if (auto obstacle = statedRateObstacle(*model))
                    return obstacle;
        }
        return std::nullopt;
    }

    std::optional<std::string> obstacleOfLatency(const MeasuredJob &job)
    {
        for (const auto &[key, model] : job.links)
            if (auto obstacle = latencyObstacle(model))
                return obstacle;
        return std::nullopt;
    }

    std::string oneRateNoChange(const Graph &graph)
    {
        const bool hasCollective
            = std::any_of(graph.collectives.begin(), graph.collectives.end(),
                          [](const CollectiveNode &node) { return !node.isMessage; });
        return hasCollective
            ? "the slowest link of each collective's ranks stays as fast as it is"
            : "the slower of the two links that a message passes stays as fast as it is";
    }

    /// A hierarchy without hosts is the ring that is replayed anyway.
    std::string algorithmNoChange(const MeasuredJob &job, const Change &change)
    {
        const auto choice = collectiveChoice(change.valueText());
        if (choice && choice->algorithm == CollectiveAlgorithm::ColocatedServers)
            return "servers beside the ranks put as many bytes on each link as the rings that are "
                   "taken for recorded, and fewer steps save no latency that is known";
        const bool areHostsMeant = choice && choice->algorithm == CollectiveAlgorithm::Hierarchical;
        const bool areHostsKnown = std::any_of(
            job.graph.collectives.begin(), job.graph.collectives.end(), [&job](const auto &node) {
                return node.name == "all_reduce" && ranksOfHost(node, job.trace);
            });
        return areHostsMeant && !areHostsKnown
            ? "the trace does not tell which ranks share a host, so collective=hierarchical is "
              "predicted as a ring of all ranks, as its collectives are already taken to run"
            : "its collectives are already taken to run so";
    }

    /// Some all-reduce was sent so: as NCCL states or chooses, else in a ring.
    bool isRecorded(CollectiveAlgorithm algorithm, const Graph &graph)
    {
        return std::any_of(graph.collectives.begin(), graph.collectives.end(),
                           [algorithm](const CollectiveNode &node) {
                               const auto taken = node.takenAlgorithm().empty()
                                   ? CollectiveAlgorithm::Ring
                                   : collectiveAlgorithmNamed(node.takenAlgorithm());
                               return node.name == "all_reduce" && taken == algorithm;
                           });
    }

    /// What speaks against a prediction with other links.
    class LinkDoubts
    {
    public:
        explicit LinkDoubts(const DoubtEvidence &evidence)
            : m_evidence(evidence)
            , m_changes(linkChanges(evidence.strategy))
            , m_recorded(evidence.job.graph)
            , m_ranks(largestGroup(evidence.job.graph))
        {
        }

        std::vector<TrustReason> find()
        {
            findRanks();
            findAlgorithm();
            findServers();
            findRates();
            findLatency();
            return std::move(m_found);
        }

    private:
        void add(std::optional<TrustReason> reason)
        {
            if (reason)
                m_found.push_back(std::move(*reason));
        }

        void findRanks()
        {
            const double wanted = m_changes.worldSize.value_or(m_ranks);
            if (m_ranks < 2 || wanted < 2) // one rank alone transfers nothing
                return;
            add(beyondChecked(factorAway(wanted / m_ranks), CheckedRanks,
                              factorText(wanted) + " ranks from a recording of "
                                  + factorText(m_ranks)
                                  + ", whose links and stragglers stand for all"));
            if (wanted > m_ranks && !m_changes.latencyUs)
                findUnknownLatency();
            if (m_changes.worldSize && !m_evidence.isNoChange && !reducesGradients(m_recorded))
                m_found.push_back(
                    { TrustLevel::Fair,
                      "Data parallelism is assumed: each rank has the same work. That is wrong for "
                      "tensor or expert parallel jobs." });
        }

        /// More ranks are more hops, each of which has a latency.
        void findUnknownLatency()
        {
            for (const auto &[key, link] : m_evidence.job.links)
                if (!link.isWithinHost && !link.isAlphaKnown() && link.betaNsPerByte > 0) {
                    m_found.push_back({ TrustLevel::Fair,
                                        "The latency of '" + link.group + "' is "
                                            + unknownLatencyText(link)
                                            + ". More ranks take more hops and are predicted too "
                                              "fast. Record transfers of other sizes." });
                    return;
                }
        }

        void findAlgorithm()
        {
            if (!m_changes.collective || isRecorded(m_changes.collective->algorithm, m_recorded))
                return;
            const double ranks = m_changes.worldSize.value_or(m_ranks);
            TransferPlace place;
            place.servers = m_changes.collective->servers;
            const double recorded
                = transferShape(CollectiveAlgorithm::Ring, "all_reduce", 1, m_ranks).bytes;
            const double wanted
                = transferShape(m_changes.collective->algorithm, "all_reduce", 1, ranks, place)
                      .bytes;
            const double growth = recorded > 0 ? wanted / recorded : 1;
            m_found.push_back(
                { growth >= CheckedRanks * FarBeyond ? TrustLevel::Poor : TrustLevel::Fair,
                  "No transfer by this algorithm is recorded: its cost is a formula's, with the "
                  "recorded transfers' rate and latency"
                      + (growth > CheckedRanks
                             ? ", for " + factorText(growth) + " times the bytes on a link."
                             : std::string(".")) });
        }

        /// Each rank's link is full with as many servers as ranks: see transferShape().
        void findServers()
        {
            const bool isShown = m_evidence.strategy.isOn("expand"); // each server is then shown
            if (!m_changes.collective || isShown
                || m_changes.collective->algorithm != CollectiveAlgorithm::ParameterServer)
                return;
            const double ranks = m_changes.worldSize.value_or(m_ranks);
            if (m_ranks >= 2 && m_changes.collective->servers > ranks)
                m_found.push_back({ TrustLevel::Good,
                                    "More servers than the " + factorText(ranks)
                                        + " ranks bring nothing, as each rank's own link is full: "
                                          "predicted as ps:"
                                        + factorText(ranks) + "." });
        }

        void findRates()
        {
            double farthest = m_changes.bandwidthScale.value_or(1);
            const auto look = [&farthest](double ratio) {
                if (std::isfinite(ratio) && factorAway(ratio) > factorAway(farthest))
                    farthest = ratio;
            };
            for (const auto &[key, link] : m_evidence.job.links) {
                if (link.isWithinHost || link.bandwidthMbit <= 0)
                    continue;
                if (m_changes.bandwidthMbit)
                    look(*m_changes.bandwidthMbit / link.bandwidthMbit);
                for (const auto &[rank, mbit] : m_changes.bandwidthMbitOf)
                    look(mbit / link.bandwidthMbit);
            }
            add(beyondChecked(factorAway(farthest), CheckedRate,
                              "Links " + factorText(factorAway(farthest)) + " times as "
                                  + (farthest > 1 ? "fast" : "slow") + " as recorded"));
        }

        void findLatency()
        {
            double longest = 1;
            for (const auto &[key, link] : m_evidence.job.links)
                if (m_changes.latencyUs && link.steps > 0 && link.alphaNs > 0)
                    longest = std::max(longest,
                                       *m_changes.latencyUs * 1000 * link.steps / link.alphaNs);
            add(neverChecked(longest, "Latencies"));
        }

        const DoubtEvidence &m_evidence;
        const LinkChanges m_changes;
        const Graph &m_recorded;
        const double m_ranks;
        std::vector<TrustReason> m_found;
    };

    /// The range of rates that predictions were checked for; empty where no rate is known.
    std::optional<std::pair<double, double>> checkedMbit(const LinkModels &links)
    {
        double slowest = 0, fastest = 0;
        for (const auto &[key, link] : links)
            if (!link.isWithinHost && link.bandwidthMbit > 0) {
                slowest = slowest == 0 ? link.bandwidthMbit : std::min(slowest, link.bandwidthMbit);
                fastest = std::max(fastest, link.bandwidthMbit);
            }
        if (slowest <= 0)
            return std::nullopt;
        return std::pair(slowest / CheckedRate, fastest * CheckedRate);
    }

    /// Of all links between hosts; empty where they differ.
    std::optional<double> oneRateMbit(const LinkModels &links)
    {
        std::optional<double> one;
        for (const auto &[key, link] : links) {
            if (link.isWithinHost)
                continue;
            if (link.bandwidthMbit <= 0 || (one && *one != link.bandwidthMbit))
                return std::nullopt;
            one = link.bandwidthMbit;
        }
        return one;
    }

    /// Of the link that carries most, and of each rank's link as stated, else as fitted.
    std::vector<Change> measuredRates(const MeasuredJob &job)
    {
        std::vector<Change> measured;
        const LinkModel *main = nullptr;
        for (const auto &[key, link] : job.links)
            if (!link.isWithinHost && (main == nullptr || link.allBytes() > main->allBytes()))
                main = &link;
        if (main != nullptr && main->bandwidthMbit > 0)
            measured.emplace_back(std::string(MbitKey), main->bandwidthMbit);
        const std::vector<double> &stated = job.trace.stated.linkMbit;
        const std::optional<double> one = oneRateMbit(job.links);
        for (const Worker &worker : job.trace.workers) {
            const auto rank = static_cast<std::size_t>(worker.rank);
            if (worker.rank >= 0 && rank < stated.size())
                measured.emplace_back(std::string(MbitKey), stated[rank],
                                      std::vector<int> { worker.rank });
            else if (one)
                measured.emplace_back(std::string(MbitKey), *one, std::vector<int> { worker.rank });
        }
        return measured;
    }

    class LinkChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return LinkTraits; }
        Stage stage() const override { return Stage::Transfers; }
        bool worksOnBlocks() const override { return true; }

        unsigned effects(const Change &change) const override
        {
            const unsigned all = ChangeKind::effects(change);
            // One rank alone pays no latency.
            return change.key == RanksKey && change.number() == 1.0 ? all & ~effect::Latency : all;
        }

        std::string contradiction(const Strategy &strategy) const override
        {
            return strategy.find(MbitKey) && strategy.find(ScaleKey)
                ? "bandwidth_mbit and bandwidth_scale contradict each other; give one of them."
                : std::string();
        }

        std::optional<std::string> obstacle(const MeasuredJob &job,
                                            const Change &change) const override
        {
            if (job.links.empty())
                return noLinkObstacle(job.graph);
            if (change.key == LatencyKey)
                return obstacleOfLatency(job);
            if (change.key == RanksKey)
                return worldSizeObstacle(job.graph, modelList(job.links));
            if (change.key == AlgorithmKey)
                return collectiveObstacle(job.graph, modelList(job.links));
            return obstacleOfRate(job, change);
        }

        void apply(Rewriting &rewriting) const override
        {
            const LinkChanges changes = linkChanges(rewriting.strategy());
            Graph other = rewriteTransfers(rewriting.graph(), rewriting.trace(), rewriting.links(),
                                           changes, rewriting.partitions);
            const std::string reach = changes.worldSize && !changes.bandwidthMbit
                ? otherReachText(rewriting.graph(), rewriting.trace(), *changes.worldSize)
                : std::string();
            if (!reach.empty())
                other.notes.push_back(reach);
            rewriting.set(std::move(other));
        }

        std::vector<Change> asMeasured(const MeasuredJob &job) const override
        {
            return measuredRates(job);
        }

        std::string noChangeReason(const MeasuredJob &job, const Strategy &,
                                   const Change &change) const override
        {
            if (change.key == MbitKey)
                return change.ranks.empty() ? "its links already have this bandwidth"
                                            : oneRateNoChange(job.graph);
            if (change.key == LatencyKey)
                return "its links already have this latency";
            if (change.key == RanksKey)
                return "the job already has so many ranks";
            return change.key == AlgorithmKey ? algorithmNoChange(job, change)
                                              : factorNoChange(change);
        }

        /// A bandwidth that is the links' own, where none is stated of a rank.
        bool isAsMeasured(const MeasuredJob &job, const Change &change) const override
        {
            return change.key == MbitKey && change.ranks.empty()
                && job.trace.stated.linkMbit.empty()
                && std::all_of(job.links.begin(), job.links.end(), [&change](const auto &entry) {
                       return entry.second.isWithinHost
                           || entry.second.bandwidthMbit == change.number();
                   });
        }

        std::optional<Change> nearestChecked(const MeasuredJob &job,
                                             const Change &change) const override
        {
            const double ranks = largestGroup(job.graph);
            if (change.key == AlgorithmKey) {
                const auto choice = collectiveChoice(change.valueText());
                if (choice && !isRecorded(choice->algorithm, job.graph))
                    return std::nullopt;
            } else if (change.key == RanksKey && ranks >= 2 && change.number() != 1.0) {
                return clampedTo(change, std::ceil(ranks / CheckedRanks), ranks * CheckedRanks);
            } else if (change.key == ScaleKey) {
                return clampedTo(change, 1 / CheckedRate, CheckedRate);
            } else if (const auto range = checkedMbit(job.links); range && change.key == MbitKey) {
                return clampedTo(change, range->first, range->second);
            }
            return change;
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            return LinkDoubts(evidence).find();
        }

        std::optional<std::string> memoryObstacle(const Change &change,
                                                  const Graph &rewritten) const override
        {
            const bool isSharded
                = std::any_of(rewritten.collectives.begin(), rewritten.collectives.end(),
                              [](const CollectiveNode &node) {
                                  return node.name == "reduce_scatter" || node.name == "all_gather";
                              });
            if (change.key != RanksKey || !isSharded)
                return std::nullopt;
            return "parameters or gradients are sharded over the ranks, and which allocations "
                   "these are is not recorded. Record a run with that many ranks.";
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> linkChange()
{
    return std::make_unique<LinkChange>();
}

} // namespace core
