#include "core/predict/extrapolation.h"

#include "core/base/duration_text.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/setting_effects.h"
#include "core/change/transfers/transfers.h"
#include "core/change/unroll.h"
#include "core/fit/links/collective_cost.h"
#include "core/fit/links/link_text.h"
#include "core/measure/exact_text.h"
#include "core/measure/group_places.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace core {

namespace {

    /// Largest factors of what-ifs that tests/accuracy compares with measured jobs.
    constexpr double CheckedRate = 5, CheckedRanks = 2, CheckedTime = 2, CheckedSize = 5;
    constexpr double FarBeyond = 4; ///< times the checked factor
    /// Of what was compared with no measured job: below that it is taken to be as it was.
    constexpr double NeverChecked = 2;

    std::string factorText(double factor)
    {
        return exactText(factor < 10 ? std::round(factor * 10) / 10 : std::round(factor));
    }

    /// 4 of both 4 and 1/4.
    double distance(double ratio)
    {
        return ratio > 0 ? std::max(ratio, 1 / ratio) : 1;
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

    void clampTo(double low, double high, std::optional<double> &value)
    {
        if (value)
            value = std::clamp(*value, low, high);
    }

    class ExtrapolationSearch
    {
    public:
        ExtrapolationSearch(const Graph &recorded, const ScenarioResult &result,
                            const ReplayedOverlap &unchanged)
            : m_recorded(recorded)
            , m_result(result)
            , m_settings(result.settings)
            , m_unchanged(unchanged)
            , m_ranks(largestGroup(recorded))
        {
        }

        std::vector<Extrapolation> find()
        {
            findRanks();
            findUnsureLatency();
            findAlgorithm();
            findServers();
            findChoices();
            findSchedule();
            findRates();
            findTimes();
            findUncheckedTimes();
            findSizes();
            findPeers();
            findLeftOver();
            findDeviceOverlap();
            return std::move(m_found);
        }

    private:
        void add(double factor, double checked, const std::string &what)
        {
            if (factor <= checked * (1 + 1e-9))
                return;
            m_found.push_back({ factor >= checked * FarBeyond ? TrustLevel::Poor : TrustLevel::Fair,
                                what + ": predictions were checked up to a factor of "
                                    + factorText(checked) + "." });
        }

        /// Times that no measured job was changed by. 0 removes them, to tell a bound.
        void addUnchecked(double scale, const std::string &what)
        {
            const double factor = distance(scale);
            if (factor <= NeverChecked * (1 + 1e-9))
                return;
            m_found.push_back(
                { factor >= NeverChecked * FarBeyond ? TrustLevel::Poor : TrustLevel::Fair,
                  what + " " + factorText(factor) + " times as " + (scale > 1 ? "long" : "short")
                      + " as recorded: such predictions were compared with no measured job." });
        }

        void findUncheckedTimes()
        {
            addUnchecked(m_settings.hostOverheadScale.value_or(1), "Launching and host code");
            addUnchecked(m_settings.inputScale.value_or(1), "Loading the input");
            double latency = 1;
            for (const LinkModel &link : m_result.links)
                if (const double ns = link.alphaNs;
                    m_settings.latencyUs && link.steps > 0 && ns > 0)
                    latency = std::max(latency, *m_settings.latencyUs * 1000 * link.steps / ns);
            addUnchecked(latency, "Latencies");
        }

        void findRanks()
        {
            const double wanted = m_settings.worldSize.value_or(m_ranks);
            if (m_ranks < 2 || wanted < 2) // one rank alone transfers nothing
                return;
            add(distance(wanted / m_ranks), CheckedRanks,
                factorText(wanted) + " ranks from a recording of " + factorText(m_ranks)
                    + ", whose links and stragglers stand for all");
            if (wanted > m_ranks && !m_settings.latencyUs)
                findLatency();
            if (m_settings.worldSize && !m_result.noChange && !reducesGradients())
                m_found.push_back({ TrustLevel::Fair,
                                    "No collective is known to reduce gradients: that each rank's "
                                    "work stays as it is with other ranks is so where they divide "
                                    "the batch, not where they divide tensors or experts." });
        }

        bool reducesGradients() const
        {
            return !m_recorded.gradientSteps.empty()
                || std::any_of(m_recorded.collectives.begin(), m_recorded.collectives.end(),
                               [](const CollectiveNode &node) { return !node.tensor.empty(); });
        }

        /// More or fewer latencies, where it is unsure how long one is.
        void findUnsureLatency()
        {
            constexpr double Much = 0.02; // of the iteration
            if (!restsOnLatency(m_settings) || m_settings.worldSize == 1)
                return;
            const double iterations = std::max(1, m_recorded.iterationCount);
            for (const LinkModel &link : m_result.links) {
                const std::string doubt = latencyDoubtText(link);
                if (doubt.empty())
                    continue;
                const double unsureNs = (link.alphaHighNs - link.alphaLowNs) / 2
                    * static_cast<double>(link.transfers) / iterations;
                m_found.push_back(
                    { unsureNs > Much * static_cast<double>(m_result.measuredNs) ? TrustLevel::Fair
                                                                                 : TrustLevel::Good,
                      "The latency of '" + link.group + "', "
                          + durationText(std::llround(link.alphaNs)) + ", is " + doubt
                          + (m_result.unknownInterval ? "."
                                                      : ". The interval holds that it is none, and "
                                                        "that it is so long.") });
            }
        }

        /// More ranks are more steps, of which each has a latency.
        void findLatency()
        {
            for (const LinkModel &link : m_result.links)
                if (!link.isWithinHost && !link.isAlphaKnown() && link.betaNsPerByte > 0) {
                    m_found.push_back({ TrustLevel::Fair,
                                        "The latency of '" + link.group + "' is "
                                            + unknownLatencyText(link)
                                            + ": more ranks, which take more steps, are predicted "
                                              "too fast. Record transfers of other sizes to know "
                                              "it." });
                    return;
                }
        }

        void findAlgorithm()
        {
            if (!m_settings.collective || isRecorded(m_settings.collective->algorithm, m_recorded))
                return;
            const double ranks = m_settings.worldSize.value_or(m_ranks);
            TransferPlace place;
            place.servers = m_settings.collective->servers;
            const double recorded
                = transferShape(CollectiveAlgorithm::Ring, "all_reduce", 1, m_ranks).bytes;
            const double wanted
                = transferShape(m_settings.collective->algorithm, "all_reduce", 1, ranks, place)
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
            const bool isExpanded = m_settings.expand.value_or(0) != 0; // each server is then shown
            if (!m_settings.collective || isExpanded
                || m_settings.collective->algorithm != CollectiveAlgorithm::ParameterServer)
                return;
            const double ranks = m_settings.worldSize.value_or(m_ranks);
            if (m_ranks >= 2 && m_settings.collective->servers > ranks)
                m_found.push_back({ TrustLevel::Good,
                                    "More servers than the " + factorText(ranks)
                                        + " ranks bring nothing, as each rank's own link is full: "
                                          "predicted as ps:"
                                        + factorText(ranks) + "." });
        }

        /// With other ranks, rates or sizes another algorithm may be the faster.
        void findChoices()
        {
            const bool canChangeChoice = m_settings.worldSize || regroupsGradients(m_settings)
                || m_settings.bandwidthMbit || m_settings.bandwidthScale
                || !m_settings.bandwidthMbitOf.empty();
            const auto chosen = static_cast<std::size_t>(
                std::count_if(m_recorded.collectives.begin(), m_recorded.collectives.end(),
                              [](const CollectiveNode &node) {
                                  return node.name == "all_reduce" && !node.chosenAlgorithm.empty();
                              }));
            if (!canChangeChoice || chosen == 0 || m_settings.collective)
                return;
            std::string assumed = m_recorded.nccl ? m_recorded.nccl->assumed : std::string();
            if (m_settings.worldSize && m_recorded.nccl
                && !m_recorded.nccl->assumedOfMoreHosts.empty())
                assumed += (assumed.empty() ? "" : ", ") + m_recorded.nccl->assumedOfMoreHosts;
            m_found.push_back({ TrustLevel::Fair,
                                "Which algorithm NCCL takes, recorded and then, is by its rule: no "
                                "file states it of "
                                    + countText(chosen, "all-reduce")
                                    + (assumed.empty() ? "." : " (assumed: " + assumed + ").") });
        }

        void findSchedule()
        {
            const bool isSliced = m_settings.schedule && *m_settings.schedule != Schedule::Wfbp;
            if (isSliced && reducesOnAccelerators(m_recorded))
                m_found.push_back({ TrustLevel::Fair,
                                    "Schedules on accelerators were checked on simulated jobs, not "
                                    "on measured ones." });
        }

        void findRates()
        {
            double farthest = 1;
            const auto look = [&farthest](double ratio) {
                if (std::isfinite(ratio) && distance(ratio) > distance(farthest))
                    farthest = ratio;
            };
            if (m_settings.bandwidthScale)
                look(*m_settings.bandwidthScale);
            for (const LinkModel &link : m_result.links) {
                if (link.isWithinHost || link.bandwidthMbit <= 0)
                    continue;
                if (m_settings.bandwidthMbit)
                    look(*m_settings.bandwidthMbit / link.bandwidthMbit);
                for (const auto &[rank, mbit] : m_settings.bandwidthMbitOf)
                    look(mbit / link.bandwidthMbit);
            }
            if (m_settings.commScale)
                look(1 / *m_settings.commScale);
            for (const auto &[ranks, scale] : m_settings.commScaleOf)
                look(1 / scale);
            add(distance(farthest), CheckedRate,
                "Links " + factorText(distance(farthest)) + " times as "
                    + (farthest > 1 ? "fast" : "slow") + " as recorded");
        }

        void findTimes()
        {
            double compute = m_settings.computeScale.value_or(1);
            for (const auto &[rank, scale] : m_settings.computeScaleOf)
                if (distance(scale) > distance(compute))
                    compute = scale;
            add(distance(compute), CheckedTime,
                "Computation " + factorText(distance(compute)) + " times as "
                    + (compute > 1 ? "slow" : "fast") + " as recorded");
            const double batch = m_settings.batchScale.value_or(1);
            add(distance(batch), CheckedTime,
                "A batch " + factorText(distance(batch)) + " times as "
                    + (batch > 1 ? "large" : "small") + " as recorded");
        }

        /// [kind of collective]: bytes of each.
        using Sizes = std::map<std::string, std::vector<std::uint64_t>>;

        /// Ascending.
        static Sizes sizesOf(const Graph &graph)
        {
            Sizes sizes;
            for (const CollectiveNode &node : graph.collectives)
                if (node.bytes > 0)
                    sizes[node.name].push_back(node.bytes);
            for (auto &[kind, bytes] : sizes)
                std::sort(bytes.begin(), bytes.end());
            return sizes;
        }

        /// The size from which on transfers carry half of all bytes.
        static std::uint64_t middleSize(const std::vector<std::uint64_t> &ascending)
        {
            double all = 0;
            for (const std::uint64_t bytes : ascending)
                all += static_cast<double>(bytes);
            double below = 0;
            for (const std::uint64_t bytes : ascending) {
                below += static_cast<double>(bytes);
                if (2 * below >= all)
                    return bytes;
            }
            return ascending.back();
        }

        void findSizes()
        {
            if (!m_result.graph || m_result.graph.get() == &m_recorded)
                return;
            const Sizes recorded = sizesOf(m_recorded);
            for (const auto &[kind, bytes] : sizesOf(*m_result.graph)) {
                const auto known = recorded.find(kind);
                if (known == recorded.end() || known->second == bytes)
                    continue;
                const std::uint64_t least = known->second.front(), most = known->second.back();
                const std::uint64_t middle = middleSize(bytes);
                const double factor
                    = std::max(static_cast<double>(least) / static_cast<double>(middle),
                               static_cast<double>(middle) / static_cast<double>(most));
                add(factor, CheckedSize,
                    "Transfers of " + bytesText(middle) + " (" + kind
                        + "), where those recorded have " + bytesText(least)
                        + (least == most ? std::string() : " to " + bytesText(most)));
            }
        }

        /// Where only the time between transfers is recorded, a rank's work and its waiting may be
        /// taken for one another.
        void findPeers()
        {
            constexpr double Noise = 0.02; // what a replay of the unchanged trace is good for
            const double unchangedNs
                = static_cast<double>(m_result.measuredNs) * (1 + m_result.replayErrorFraction);
            if (m_settings.idealPeers.value_or(0) != 0 && m_settings.list().size() == 1
                && static_cast<double>(m_result.predictedNs) > (1 + Noise) * unchangedNs)
                m_found.push_back(
                    { TrustLevel::Poor,
                      "Ranks that are equally fast should not take longer than those that are "
                      "recorded: what of their time is work and what is waiting is not told apart "
                      "in the trace." });
        }

        /// The first iteration has nothing left over to it.
        void findLeftOver()
        {
            constexpr std::int32_t Fewest = 3;
            if (m_settings.isEmpty() || m_result.noChange || m_recorded.iterationCount >= Fewest
                || !leavesCommunication(m_recorded))
                return;
            m_found.push_back(
                { TrustLevel::Poor,
                  "Communication goes on into the next iteration, and so few are recorded that "
                  "what a change leaves over to later ones does not show. Record three or more." });
        }

        /// Kernels of transfers take multiprocessors and memory bandwidth from those beside them:
        /// how much, the trace tells where some kernels overlap them more than others
        /// (OverlapStretch).
        void findDeviceOverlap()
        {
            constexpr double Small = 0.05; // of the iteration
            const std::int64_t moreNs = m_result.predictedParts.overlapNs - m_unchanged.ns;
            if (m_unchanged.isCostKnown || m_settings.isEmpty() || m_result.noChange
                || static_cast<double>(std::abs(moreNs))
                    <= Small * static_cast<double>(m_result.measuredNs))
                return;
            m_found.push_back(
                { TrustLevel::Fair,
                  "Transfers run beside " + durationText(std::abs(moreNs))
                      + (moreNs > 0 ? " more" : " less")
                      + " of an iteration's kernels than recorded. How much they slow those down "
                        "is not told apart in the trace: kernels are taken to be as fast as "
                        "recorded, and the interval holds what others measured." });
        }

        const Graph &m_recorded;
        const ScenarioResult &m_result;
        const ScenarioSettings &m_settings;
        ReplayedOverlap m_unchanged;
        double m_ranks;
        std::vector<Extrapolation> m_found;
    };

} // namespace

std::vector<Extrapolation> extrapolations(const Graph &recorded, const ScenarioResult &result,
                                          const ReplayedOverlap &unchanged)
{
    return ExtrapolationSearch(recorded, result, unchanged).find();
}

ScenarioSettings withinChecked(ScenarioSettings settings, const Graph &recorded,
                               const LinkModels &links)
{
    if (settings.collective && !isRecorded(settings.collective->algorithm, recorded))
        settings.collective.reset();
    if (const double ranks = largestGroup(recorded); ranks >= 2 && settings.worldSize != 1)
        clampTo(std::ceil(ranks / CheckedRanks), ranks * CheckedRanks, settings.worldSize);
    double slowest = 0, fastest = 0;
    for (const auto &[key, link] : links)
        if (!link.isWithinHost && link.bandwidthMbit > 0) {
            slowest = slowest == 0 ? link.bandwidthMbit : std::min(slowest, link.bandwidthMbit);
            fastest = std::max(fastest, link.bandwidthMbit);
        }
    if (slowest > 0) {
        const double low = slowest / CheckedRate, high = fastest * CheckedRate;
        clampTo(low, high, settings.bandwidthMbit);
        for (auto &[rank, mbit] : settings.bandwidthMbitOf)
            mbit = std::clamp(mbit, low, high);
    }
    clampTo(1 / CheckedRate, CheckedRate, settings.bandwidthScale);
    if (settings.commScale != 0.0) // that there are none is no extrapolation
        clampTo(1 / CheckedRate, CheckedRate, settings.commScale);
    for (auto &[ranks, scale] : settings.commScaleOf)
        if (scale != 0)
            scale = std::clamp(scale, 1 / CheckedRate, CheckedRate);
    for (std::optional<double> *scale : { &settings.computeScale, &settings.batchScale })
        clampTo(1 / CheckedTime, CheckedTime, *scale);
    for (auto &[rank, scale] : settings.computeScaleOf)
        scale = std::clamp(scale, 1 / CheckedTime, CheckedTime);
    return settings;
}

} // namespace core
