#include "core/predict/extrapolation.h"

#include "core/base/duration_text.h"
#include "core/change/change_list.h"
#include "core/change/checked_factor.h"
#include "core/change/unroll.h"
#include "core/fit/links/link_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace core {

namespace {

    class ExtrapolationSearch
    {
    public:
        ExtrapolationSearch(const DoubtEvidence &evidence, const Prediction &result,
                            const ReplayedOverlap &unchanged)
            : m_evidence(evidence)
            , m_recorded(evidence.job.graph)
            , m_result(result)
            , m_unchanged(unchanged)
            , m_effects(effectsOf(evidence.strategy))
        {
        }

        std::vector<TrustReason> find()
        {
            for (const auto &kind : changeKinds()) {
                if (!kind->isAsked(m_evidence.strategy))
                    continue;
                std::vector<TrustReason> own = kind->doubts(m_evidence);
                std::move(own.begin(), own.end(), std::back_inserter(m_found));
            }
            findUnsureLatency();
            findChoices();
            findSizes();
            findLeftOver();
            findDeviceOverlap();
            return std::move(m_found);
        }

    private:
        /// More or fewer latencies, where it is unsure how long one is.
        void findUnsureLatency()
        {
            constexpr double Much = 0.02; // of the iteration
            if ((m_effects & effect::Latency) == 0)
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
                          + (m_result.unknownInterval ? "." : ". The interval holds both ends.") });
            }
        }

        /// With other ranks, rates or sizes another algorithm may be the faster.
        void findChoices()
        {
            const bool canChangeChoice
                = (m_effects & (effect::Ranks | effect::Gradients | effect::Rate)) != 0;
            const auto chosen = static_cast<std::size_t>(
                std::count_if(m_recorded.collectives.begin(), m_recorded.collectives.end(),
                              [](const CollectiveNode &node) {
                                  return node.name == "all_reduce" && !node.chosenAlgorithm.empty();
                              }));
            if (!canChangeChoice || chosen == 0 || (m_effects & effect::Algorithm) != 0)
                return;
            std::string assumed = m_recorded.nccl ? m_recorded.nccl->assumed : std::string();
            if ((m_effects & effect::Ranks) != 0 && m_recorded.nccl
                && !m_recorded.nccl->assumedOfMoreHosts.empty())
                assumed += (assumed.empty() ? "" : ", ") + m_recorded.nccl->assumedOfMoreHosts;
            m_found.push_back({ TrustLevel::Fair,
                                "NCCL's algorithm is not recorded for "
                                    + countText(chosen, "all-reduce") + ". NCCL's rule is used"
                                    + (assumed.empty() ? "." : " (assumed: " + assumed + ").") });
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
                if (auto doubt = beyondChecked(
                        factor, CheckedSize,
                        "Transfers of " + bytesText(middle) + " (" + kind
                            + "), where those recorded have " + bytesText(least)
                            + (least == most ? std::string() : " to " + bytesText(most))))
                    m_found.push_back(std::move(*doubt));
            }
        }

        /// The first iteration has nothing left over to it.
        void findLeftOver()
        {
            constexpr std::int32_t Fewest = 3;
            if (m_evidence.strategy.isEmpty() || m_result.noChange
                || m_recorded.iterationCount >= Fewest || !leavesCommunication(m_recorded))
                return;
            m_found.push_back(
                { TrustLevel::Poor,
                  "Communication goes on into the next iteration. Too few iterations are recorded "
                  "to show the effect on later ones. Record three or more." });
        }

        /// Kernels of transfers take multiprocessors and memory bandwidth from those beside them:
        /// how much, the trace tells where some kernels overlap them more than others
        /// (OverlapStretch).
        void findDeviceOverlap()
        {
            constexpr double Small = 0.05; // of the iteration
            const std::int64_t moreNs = m_result.predictedParts.overlapNs - m_unchanged.ns;
            if (m_unchanged.isCostKnown || m_evidence.strategy.isEmpty() || m_result.noChange
                || static_cast<double>(std::abs(moreNs))
                    <= Small * static_cast<double>(m_result.measuredNs))
                return;
            m_found.push_back(
                { TrustLevel::Fair,
                  "Transfers run beside " + durationText(std::abs(moreNs))
                      + (moreNs > 0 ? " more" : " less")
                      + " of an iteration's kernels than recorded. The trace does not tell how "
                        "much they slow these down. Kernels are assumed to be as fast as recorded; "
                        "the interval holds what others measured." });
        }

        const DoubtEvidence &m_evidence;
        const Graph &m_recorded;
        const Prediction &m_result;
        ReplayedOverlap m_unchanged;
        unsigned m_effects;
        std::vector<TrustReason> m_found;
    };

} // namespace

std::vector<TrustReason> extrapolations(const DoubtEvidence &evidence, const Prediction &result,
                                        const ReplayedOverlap &unchanged)
{
    return ExtrapolationSearch(evidence, result, unchanged).find();
}

} // namespace core
