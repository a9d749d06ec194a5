#include "core/analyze/bottlenecks.h"

#include "core/analyze/advice.h"
#include "core/analyze/collective_report.h"
#include "core/analyze/iteration_words.h"
#include "core/analyze/path_evidence.h"
#include "core/analyze/straggler.h"
#include "core/base/duration_text.h"
#include "core/scenario/graph_edits.h"
#include "core/scenario/iteration_time.h"
#include "core/scenario/job_metadata.h"
#include "core/scenario/rebucket.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

namespace core {

namespace {

    constexpr double SmallestGain = 0.01; ///< of an iteration; less is noise
    constexpr double ClearStraggler = 0.1; ///< gain from which a straggler is the verdict
    constexpr std::array BucketCandidatesMb = { 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0 };

    /// The slowest rank's median period, as the self-replay's prediction; but not less than the
    /// devices need, which may still be at work when the host has left its last iteration. Ranks
    /// may begin apart (one recorded later, or is of another run): that is no rank's work.
    std::int64_t periodNs(const Graph &graph, const JobControl &control)
    {
        const ReplayResult result = replay(graph, control);
        std::int64_t lastBeginNs = 0;
        for (const OpId begin : graph.iterationBegins)
            lastBeginNs = std::max(lastBeginNs, result.endNs[begin.value]);
        std::int64_t slowestNs
            = (result.makespanNs - lastBeginNs) / std::max(1, graph.iterationCount);
        for (std::uint32_t w = 0; w < graph.workerCount(); ++w)
            slowestNs
                = std::max(slowestNs, medianNs(replayedIterations(graph, result, WorkerId(w))));
        return slowestNs;
    }

    std::string numberText(double value)
    {
        std::array<char, 32> text {};
        std::snprintf(text.data(), text.size(), "%g", value);
        return text.data();
    }

    std::string countText(std::size_t count, const std::string &noun)
    {
        return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
    }

    class BottleneckFinder
    {
    public:
        BottleneckFinder(const BottleneckInput &input, const JobControl &control)
            : m_trace(input.trace)
            , m_graph(*input.graph)
            , m_replayed(*input.diagnosis.selfReplay.graph)
            , m_diagnosis(input.diagnosis)
            , m_control(control)
            , m_advice(input.trace)
            , m_baseNs(input.diagnosis.selfReplay.predictedNs)
            , m_flooredBaseNs(periodNs(m_replayed, control))
            , m_iterations(std::max(1, m_graph.iterationCount))
            , m_words(input.trace, m_graph.iterationCount)
        {
        }

        std::vector<Bottleneck> find()
        {
            using Search = std::optional<Bottleneck> (BottleneckFinder::*)();
            constexpr std::array<Search, 6> searches
                = { &BottleneckFinder::straggler, &BottleneckFinder::bucketSize,
                    &BottleneckFinder::bandwidth, &BottleneckFinder::exposedCommunication,
                    &BottleneckFinder::hostGap,   &BottleneckFinder::input };
            std::vector<Bottleneck> found;
            for (std::size_t i = 0; i < searches.size(); ++i) {
                throwIfCancelled(m_control);
                m_control.report(static_cast<double>(i) / searches.size(), "what-if replays");
                if (auto bottleneck = (this->*searches[i])())
                    found.push_back(std::move(*bottleneck));
            }
            std::stable_sort(
                found.begin(), found.end(),
                [](const Bottleneck &a, const Bottleneck &b) { return a.gainNs > b.gainNs; });
            return found;
        }

    private:
        std::string ofEach() const { return m_words.ofEach(m_baseNs); }

        /// Empty where the gain is too small to be worth a line.
        std::optional<Bottleneck> withGain(const char *kind, std::int64_t predictedNs) const
        {
            Bottleneck bottleneck;
            bottleneck.kind = kind;
            bottleneck.gainNs = m_baseNs - std::max<std::int64_t>(0, predictedNs);
            bottleneck.gainFraction = m_baseNs > 0
                ? static_cast<double>(bottleneck.gainNs) / static_cast<double>(m_baseNs)
                : 0;
            if (bottleneck.gainFraction < SmallestGain)
                return std::nullopt;
            return bottleneck;
        }

        /// Of an edited copy of the replayed graph, against the same graph as it is.
        std::optional<Bottleneck> withGainOf(const char *kind, const Graph &edited) const
        {
            return withGain(kind, m_baseNs - (m_flooredBaseNs - periodNs(edited, m_control)));
        }

        std::int64_t perIteration(std::int64_t ns) const { return ns / m_iterations; }

        // --- a rank that keeps the others waiting

        std::optional<Bottleneck> straggler()
        {
            const std::map<int, Lateness> byRank = latenessByRank(m_diagnosis.collectives);
            if (byRank.size() < 2)
                return std::nullopt;
            const Lateness &late
                = std::max_element(byRank.begin(), byRank.end(), [](const auto &a, const auto &b) {
                      return a.second.lastByNs < b.second.lastByNs;
                  })->second;
            const OwnTime ownTime(m_trace, m_graph, m_diagnosis.ranks);
            if (!isEvident(late) || !ownTime.canExplain(late.rank))
                return std::nullopt;
            auto found = withGainOf("straggler", withIdealPeers(m_replayed));
            if (!found)
                return std::nullopt;
            found->title = "Rank " + std::to_string(late.rank) + " makes the others wait: "
                + durationText(perIteration(late.lastByNs)) + " " + ofEach();
            addStragglerEvidence(*found, late, byRank, ownTime);
            found->advice
                = onStraggler(std::to_string(late.rank), ownTime.isHeldUpByHost(late.rank));
            const CollectiveReport &worst = m_diagnosis.collectives[late.worst];
            for (const CollectiveRankReport &part : worst.ranks) {
                if (part.rank == late.rank)
                    found->slice = part.slice;
                found->range.endNs = std::max(found->range.endNs, part.endNs);
            }
            found->range.startNs = late.worstRange.startNs;
            return found;
        }

        /// Others are seen to wait for it, by more than the clocks are known to agree to.
        bool isEvident(const Lateness &late) const
        {
            std::int64_t residualNs = 0;
            for (const Alignment &alignment : m_trace.alignment.workers)
                residualNs = std::max(residualNs, alignment.residualNs);
            const auto smallestNs
                = static_cast<std::int64_t>(SmallestGain * static_cast<double>(m_baseNs));
            return late.timesLast > 0 && perIteration(late.lastByNs) >= smallestNs
                && late.lastByNs / static_cast<std::int64_t>(late.timesLast) > residualNs;
        }

        void addStragglerEvidence(Bottleneck &found, const Lateness &late,
                                  const std::map<int, Lateness> &byRank,
                                  const OwnTime &ownTime) const
        {
            found.evidence.push_back("It comes last to " + std::to_string(late.timesLast) + " of "
                                     + countText(m_diagnosis.collectives.size(), "collective")
                                     + ".");
            std::map<int, std::int64_t> waits;
            for (const auto &[rank, lateness] : byRank)
                waits[rank] = perIteration(lateness.waitNs);
            found.evidence.push_back("Waiting inside of collectives" + m_words.per() + ": "
                                     + byRankText(waits, late.rank) + ".");
            for (std::string &line : ownTime.lines(late.rank, m_words))
                found.evidence.push_back(std::move(line));
            found.evidence.push_back("With every rank as fast as the median, " + m_words.one()
                                     + " would take " + durationText(m_baseNs - found.gainNs)
                                     + ".");
        }

        static std::string onStraggler(const std::string &rank, bool isHeldUpByHost)
        {
            if (isHeldUpByHost)
                return "Compare the host of rank " + rank
                    + " with the others': its accelerator waits to be given work. Look at what "
                      "else runs on its cores, their binding and clock, its input pipeline, and "
                      "what only this rank does (logging, checkpoints, evaluation).";
            return "Compare rank " + rank
                + " with the others: its share of the data (batch size, sequence lengths, "
                  "embedding shards), its processor's or accelerator's clock and neighbours, its "
                  "input pipeline.";
        }

        // --- gradient buckets

        std::optional<Bottleneck> bucketSize()
        {
            if (rebucketObstacle(m_graph) || m_diagnosis.selfReplay.links.empty())
                return std::nullopt;
            const std::optional<double> recorded = recordedBucketCapMb(m_trace);
            std::vector<std::pair<std::int64_t, double>> predictions; ///< (period, cap)
            for (const double cap : BucketCandidatesMb) {
                throwIfCancelled(m_control);
                if (recorded && *recorded == cap)
                    continue;
                ScenarioSettings settings;
                settings.bucketCapMb = cap;
                predictions.emplace_back(
                    predictIterationNs(m_trace, m_graph, settings, m_control.part(0, 0)), cap);
            }
            const auto best = *std::min_element(predictions.begin(), predictions.end());
            auto found = withGain("bucket-size", best.first);
            if (!found)
                return std::nullopt;
            const std::string cap = numberText(best.second);
            found->title = "Gradient buckets of " + cap + " MiB instead of "
                + (recorded ? numberText(*recorded) + " MiB" : "the present ones") + " would save "
                + durationText(found->gainNs) + " " + ofEach();
            std::string tried;
            for (const auto &[ns, mb] : predictions)
                tried
                    += (tried.empty() ? "" : ", ") + (numberText(mb) + " MiB ") + durationText(ns);
            found->evidence.push_back(
                "Replayed iteration by bucket size: " + tried
                + (recorded ? ", now (" + numberText(*recorded) + " MiB) " : ", now ")
                + durationText(m_baseNs) + ".");
            found->evidence.push_back(presentBuckets());
            found->advice = "Set bucket_cap_mb=" + cap
                + " in DistributedDataParallel(model, bucket_cap_mb=" + cap + ").";
            pointAtLongestTransfer(*found);
            return found;
        }

        std::string presentBuckets() const
        {
            std::string sizes;
            for (const GradientStep::Bucket &bucket : m_graph.gradientSteps.front().buckets)
                sizes += (sizes.empty() ? "" : ", ")
                    + bytesText(m_graph.collectives[bucket.collective].bytes);
            return "Now " + countText(m_graph.gradientSteps.front().buckets.size(), "bucket")
                + " in each iteration: " + sizes + ".";
        }

        // --- the network

        std::optional<Bottleneck> bandwidth()
        {
            if (settingObstacles(m_graph, m_diagnosis.selfReplay.links).bandwidth)
                return std::nullopt;
            ScenarioSettings settings;
            settings.bandwidthScale = 2;
            auto found = withGain(
                "bandwidth", predictIterationNs(m_trace, m_graph, settings, m_control.part(0, 0)));
            if (!found)
                return std::nullopt;
            found->title = "Twice the network bandwidth would save " + durationText(found->gainNs)
                + " " + ofEach();
            addLinkEvidence(*found);
            found->evidence.push_back("Bytes that a rank reduces or exchanges" + m_words.per()
                                      + ": " + bytesText(bytesPerIteration()) + ".");
            found->advice = m_advice.onBandwidth();
            pointAtLongestTransfer(*found);
            return found;
        }

        void addLinkEvidence(Bottleneck &found) const
        {
            for (const LinkModel &link : m_diagnosis.selfReplay.links) {
                if (link.betaNsPerByte <= 0)
                    continue;
                found.evidence.push_back(
                    "Fitted from " + countText(link.transfers, "transfer") + " (" + link.group
                    + "): " + numberText(std::round(link.rateMbit())) + " Mbit/s and "
                    + durationText(std::llround(link.alphaNs)) + " latency"
                    + (link.nominalMbit
                           ? " on a link of " + numberText(*link.nominalMbit) + " Mbit/s."
                           : "."));
            }
        }

        std::uint64_t bytesPerIteration() const
        {
            std::uint64_t bytes = 0;
            for (const CollectiveNode &node : m_graph.collectives)
                bytes += node.bytes;
            return bytes / static_cast<std::uint64_t>(m_iterations);
        }

        std::optional<Bottleneck> exposedCommunication()
        {
            auto found = withGainOf("exposed-communication", withFreeCommunication(m_replayed));
            if (!found)
                return std::nullopt;
            const bool slowsCompute = m_replayed.slowdown > 1;
            const TimeBreakdown mean = meanIteration();
            const bool hasComputation = mean.computeNs > 0;
            found->title
                = (slowsCompute || !hasComputation ? "Communication costs "
                                                   : "Communication that nothing hides costs ")
                + durationText(found->gainNs) + " " + ofEach();
            std::string underWay = "Communication is under way for " + durationText(mean.commNs)
                + " of " + m_words.one() + onAverage();
            if (hasComputation)
                underWay += "; computation hides " + durationText(mean.overlapNs) + " of it, "
                    + durationText(mean.exposedCommNs) + " is exposed";
            found->evidence.push_back(underWay + " (waiting for other ranks included).");
            for (std::string &line : communicationOnPath(m_diagnosis.criticalPath))
                found->evidence.push_back(std::move(line));
            if (slowsCompute)
                found->evidence.push_back(
                    "Transfers share the workers' cores: computation that overlaps them runs "
                    + percentText(m_replayed.slowdown - 1) + " slower, which counts here too.");
            addLinkEvidence(*found);
            found->evidence.push_back("Upper bound: the replay with transfers that take no time.");
            found->advice = m_advice.onExposedCommunication();
            pointAtLongestTransfer(*found);
            return found;
        }

        /// Means of all ranks and iterations follow.
        std::string onAverage() const
        {
            return m_trace.workers.size() * static_cast<std::size_t>(m_iterations) > 1
                ? " on average"
                : "";
        }

        TimeBreakdown meanIteration() const
        {
            TimeBreakdown sum;
            std::int64_t count = 0;
            for (const RankDiagnosis &rank : m_diagnosis.ranks)
                for (const IterationBreakdown &iteration : rank.iterations) {
                    sum.computeNs += iteration.time.computeNs;
                    sum.commNs += iteration.time.commNs;
                    sum.overlapNs += iteration.time.overlapNs;
                    sum.exposedCommNs += iteration.time.exposedCommNs;
                    sum.idleNs += iteration.time.idleNs;
                    ++count;
                }
            count = std::max<std::int64_t>(1, count);
            for (std::int64_t *part :
                 { &sum.computeNs, &sum.commNs, &sum.overlapNs, &sum.exposedCommNs, &sum.idleNs })
                *part /= count;
            return sum;
        }

        /// The collective whose transfer took longest: the place to look at. Without collectives of
        /// several ranks, the longest communication on the critical path.
        void pointAtLongestTransfer(Bottleneck &bottleneck) const
        {
            std::int64_t longestNs = -1;
            for (const CollectiveReport &collective : m_diagnosis.collectives)
                for (const CollectiveRankReport &part : collective.ranks)
                    if (part.transferNs > longestNs) {
                        longestNs = part.transferNs;
                        bottleneck.slice = part.slice;
                        bottleneck.range = { part.startNs, part.endNs };
                    }
            if (longestNs < 0)
                pointAtLongestOp(bottleneck, "comm");
        }

        // --- the host

        std::optional<Bottleneck> hostGap()
        {
            const bool isAccelerated
                = std::any_of(m_graph.devices.begin(), m_graph.devices.end(),
                              [](const Device &device) { return device.isStream; });
            const std::vector<bool> hasHost = workersWithHost(m_replayed);
            if (std::find(hasHost.begin(), hasHost.end(), true) == hasHost.end())
                return std::nullopt; // what lies between the recorded operations is not known
            auto found = withGainOf("host-gap", withHostOverhead(m_replayed, 0));
            if (!found)
                return std::nullopt;
            found->title = isAccelerated
                ? "Accelerators wait for the host: " + durationText(found->gainNs) + " " + ofEach()
                    + " go to launching and host code"
                : "Host code between operations costs " + durationText(found->gainNs) + " "
                    + ofEach();
            found->evidence.push_back("On the critical path the host takes "
                                      + durationText(m_diagnosis.criticalPath.hostNs) + " of "
                                      + m_words.one() + ".");
            if (const std::string longest = longestOnPath(m_diagnosis.criticalPath, "host");
                !longest.empty())
                found->evidence.push_back("Longest host operations on it: " + longest + ".");
            found->evidence.push_back(
                (isAccelerated ? "Accelerators are idle for " : "No operation runs for ")
                + durationText(meanIteration().idleNs) + " of " + m_words.one() + onAverage()
                + ".");
            found->evidence.push_back(
                isAccelerated ? "Upper bound: the replay with a host that takes no time."
                              : "Upper bound: the replay with no time between operations of a "
                                "thread that follow each other.");
            found->advice = m_advice.onHost(isAccelerated);
            pointAtLongestOp(*found, "host");
            return found;
        }

        /// On the critical path.
        void pointAtLongestOp(Bottleneck &bottleneck, std::string_view kind) const
        {
            std::int64_t longestNs = -1;
            for (const CriticalOp &op : m_diagnosis.criticalPath.ops)
                if (op.kind == kind && op.durationNs > longestNs && op.slice != NoSlice) {
                    longestNs = op.durationNs;
                    bottleneck.slice = op.slice;
                    bottleneck.range = { op.startNs, op.startNs + op.durationNs };
                }
        }

        std::optional<Bottleneck> input()
        {
            auto found = withGainOf("input", withFreePhase(m_replayed, Phase::Input));
            if (!found)
                return std::nullopt;
            found->title
                = "Loading the input costs " + durationText(found->gainNs) + " " + ofEach();
            found->evidence.push_back("Upper bound: the replay with input that is always there.");
            found->advice = m_advice.onInput();
            return found;
        }

        const Trace &m_trace;
        const Graph &m_graph;
        const Graph &m_replayed; ///< with un-stretched ops and their slowdown
        const Diagnosis &m_diagnosis;
        const JobControl &m_control;
        const Advice m_advice;
        std::int64_t m_baseNs; ///< the self-replay's prediction
        std::int64_t m_flooredBaseNs; ///< the same by periodNs()
        std::int64_t m_iterations;
        IterationWords m_words;
    };

} // namespace

std::vector<Bottleneck> findBottlenecks(const BottleneckInput &input, const JobControl &control)
{
    return BottleneckFinder(input, control).find();
}

std::string verdictOf(const BottleneckInput &input, const std::vector<Bottleneck> &bottlenecks)
{
    const IterationWords words(input.trace, input.graph->iterationCount);
    if (bottlenecks.empty())
        return "No single cause costs more than 1 % "
            + words.ofThe(input.diagnosis.selfReplay.predictedNs) + ".";
    // A late rank also shows as exposed communication and idle time on all others: it is the cause.
    const auto cause
        = std::find_if(bottlenecks.begin(), bottlenecks.end(), [](const Bottleneck &bottleneck) {
              return bottleneck.kind == "straggler" && bottleneck.gainFraction >= ClearStraggler;
          });
    const Bottleneck &named = cause == bottlenecks.end() ? bottlenecks.front() : *cause;
    return named.title + " (" + percentText(named.gainFraction) + " to gain).";
}

} // namespace core
