#include "core/predict/trust.h"

#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"
#include "core/change/change_list.h"
#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/unseen_waits.h"
#include "core/measure/framework.h"
#include "core/measure/parts.h"
#include "core/model/metadata_keys.h"
#include "core/model/world_size.h"
#include "core/predict/extrapolation.h"
#include "core/predict/wide_interval.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace core {

namespace {

    constexpr double GoodTotal = 0.02; ///< error of the replayed iteration
    constexpr double GoodPart = 0.05, FairPart = 0.15; ///< error of a part, of an iteration
    constexpr double NotedPart = 0.01, NotedOfPart = 0.1; ///< of an iteration, and of the part
    /// Of the prediction. Whatever makes it wide, iterations that differ too: 10 % either way leave
    /// most what-ifs' gains within it.
    constexpr double WideInterval = 0.2, UselessInterval = 1;
    constexpr double PoorFit = 0.2; ///< median error of a link's fit
    constexpr int EnoughIterations = 3;
    constexpr std::size_t EnoughTransfers = 4, MostNotes = 6;

    class Judge
    {
    public:
        Judge(const TrustEvidence &evidence, Prediction &result)
            : m_evidence(evidence)
            , m_result(result)
        {
            m_result.trust = TrustLevel::Good;
            m_result.trustReasons.clear();
            m_result.trustReason.clear();
            judgeTotal();
            judgeOtherTotals();
            judgePart("compute", evidence.measured.computeNs, evidence.replayed.computeNs);
            judgeExposed(evidence.measured, evidence.replayed);
            judgePart("overlap", evidence.measured.overlapNs, evidence.replayed.overlapNs);
            judgePart("time of copies", evidence.measured.memOnlyNs, evidence.replayed.memOnlyNs);
            judgePart("idle time", evidence.measured.idleNs, evidence.replayed.idleNs);
            judgeInterval();
            if (evidence.direction)
                add(evidence.direction->level, evidence.direction->text);
            judgeRecording();
            judgeRanks();
            judgeWaits();
            judgeLinks();
            if (!isUnchanged())
                for (TrustReason &found :
                     extrapolations(doubtEvidence(), result,
                                    { evidence.replayed.overlapNs, evidence.isOverlapCostKnown }))
                    add(found.level, std::move(found.text));
            addNotes();
        }

    private:
        DoubtEvidence doubtEvidence() const
        {
            return { { m_evidence.trace, m_evidence.recorded, m_evidence.links },
                     m_evidence.graph,
                     m_evidence.strategy,
                     m_evidence.models,
                     m_result.unchangedNs,
                     m_result.predictedNs,
                     m_result.noChange.has_value() };
        }

        /// The first of the worst level decides.
        void add(TrustLevel level, std::string reason)
        {
            if (m_result.trustReason.empty() || level > m_result.trust)
                m_result.trustReason = reason;
            m_result.trust = std::max(m_result.trust, level);
            m_result.trustReasons.push_back(std::move(reason));
        }

        void judgeTotal()
        {
            const double error = std::abs(m_result.replayErrorFraction);
            if (error <= GoodTotal)
                add(TrustLevel::Good,
                    m_result.hasIterations
                        ? "Replaying the unchanged trace reproduces its iteration time within 2 %."
                        : "Replaying the unchanged recording reproduces its whole time within "
                          "2 %.");
            else if (error <= FairReplayError)
                add(TrustLevel::Fair,
                    "Replaying the unchanged trace is off by " + percentText(error) + ".");
            else
                add(TrustLevel::Poor,
                    "Replaying the unchanged trace is off by " + percentText(error)
                        + ": something that matters is not in the trace. Do not rely on "
                          "predictions.");
        }

        /// The slowest rank's median can be right while the mean or another rank is not: of what is
        /// off more than it, the worst.
        void judgeOtherTotals()
        {
            const auto worst = std::max_element(
                m_evidence.totals.begin(), m_evidence.totals.end(),
                [](const auto &a, const auto &b) { return a.error() < b.error(); });
            if (worst != m_evidence.totals.end()
                && worst->error() > std::max(GoodTotal, std::abs(m_result.replayErrorFraction)))
                add(TrustLevel::Fair,
                    "Replaying the unchanged trace is off by " + percentText(worst->error())
                        + " for " + worst->of + ".");
        }

        /// A total can be right while its parts are wrong.
        void judgePart(const char *name, std::int64_t measuredNs, std::int64_t replayedNs)
        {
            const auto iterationNs
                = static_cast<double>(std::max<std::int64_t>(1, wholeNs(m_evidence.measured)));
            const double errorNs = std::abs(static_cast<double>(replayedNs - measuredNs));
            const double error = errorNs / iterationNs;
            const bool isNoted
                = error > NotedPart && errorNs > NotedOfPart * static_cast<double>(measuredNs);
            if (error > GoodPart || isNoted)
                add(error > FairPart       ? TrustLevel::Poor
                        : error > GoodPart ? TrustLevel::Fair
                                           : TrustLevel::Good,
                    std::string("Replayed ") + name + " is " + durationText(replayedNs) + " where "
                        + durationText(measuredNs) + " were measured (" + percentText(error)
                        + " of an iteration).");
        }

        /// Transfer and waiting may be wrong while their sum is right.
        void judgeExposed(const PartTimes &measured, const PartTimes &replayed)
        {
            judgePart("exposed communication", measured.exposedCommNs, replayed.exposedCommNs);
            if (!measured.exposedWaitNs || !replayed.exposedWaitNs)
                return;
            judgePart("exposed transfer", measured.exposedCommNs - *measured.exposedWaitNs,
                      replayed.exposedCommNs - *replayed.exposedWaitNs);
            judgePart("waiting for other ranks", *measured.exposedWaitNs, *replayed.exposedWaitNs);
        }

        void judgeInterval()
        {
            const double width = static_cast<double>(m_result.ciHighNs - m_result.ciLowNs)
                / static_cast<double>(std::max<std::int64_t>(1, m_result.predictedNs));
            if (width <= WideInterval)
                return;
            const std::string why = whyWide(m_evidence.trace, m_result);
            if (width > UselessInterval)
                add(TrustLevel::Poor,
                    "The 95 % interval is wider than the predicted time itself: " + why);
            else
                add(TrustLevel::Fair,
                    "The 95 % interval is wide (" + percentText(width)
                        + " of the prediction): " + why);
        }

        void judgeRecording()
        {
            if (m_evidence.measured.computeNs == 0)
                add(TrustLevel::Fair,
                    "No computation is recorded: the time between transfers is assumed to stay.");
            const int iterations = m_evidence.recorded.iterationCount;
            if (!m_result.hasIterations)
                add(TrustLevel::Fair,
                    "No iterations were found: the recording is replayed as one, and its spread is "
                    "not known.");
            else if (iterations < EnoughIterations)
                add(TrustLevel::Fair,
                    "Only " + std::to_string(iterations)
                        + (iterations == 1 ? " iteration" : " iterations")
                        + " recorded on every rank: their spread is "
                        + (iterations == 1 ? "not known."
                                           : "hardly known, so the interval is wide."));
            judgeMissing();
            judgeLost();
            for (const RecordingFault &fault : m_evidence.trace.faults)
                add(fault.isMended      ? TrustLevel::Good
                        : fault.isGrave ? TrustLevel::Poor
                                        : TrustLevel::Fair,
                    fault.text);
            for (const std::string &fault : m_evidence.recorded.faults)
                add(TrustLevel::Fair, fault);
            judgeDoubts();
        }

        /// Contradictions that were found in a file.
        void judgeDoubts()
        {
            const auto endsWith = [](const JobMetadata &metadata, std::string_view key) {
                return metadata.name.ends_with('#' + std::string(key));
            };
            for (const JobMetadata &metadata : m_evidence.trace.metadata)
                if (endsWith(metadata, DoubtKey))
                    add(TrustLevel::Poor, metadata.text);
                else if (endsWith(metadata, RepairKey))
                    add(TrustLevel::Fair, metadata.text);
        }

        /// When they were is not known: any iteration may lack some.
        void judgeLost()
        {
            std::uint64_t count = 0;
            std::set<int> ranks;
            for (const LostRecords &lost : m_evidence.trace.lostRecords) {
                count += lost.count;
                ranks.insert(lost.ranks.begin(), lost.ranks.end());
            }
            if (count == 0)
                return;
            add(TrustLevel::Fair,
                countText(count, "damaged event")
                    + (ranks.empty() ? std::string()
                                     : " of " + ranksText({ ranks.begin(), ranks.end() }))
                    + (count == 1 ? " was" : " were")
                    + " lost in import: what is compared may lack " + (count == 1 ? "its" : "their")
                    + " time (longpole info tells "
                      "which file).");
        }

        bool isUnchanged() const { return m_evidence.strategy.isEmpty() || m_result.noChange; }

        bool isFromFits() const
        {
            return !isUnchanged() && hasEffect(m_evidence.strategy, effect::RestsOnLinks);
        }

        /// What is predicted from the links' fits: this, or others.
        std::string restsOnFits() const
        {
            return isFromFits() ? "the prediction rests"
                                : "what-ifs of links, buckets and schedules rest";
        }

        /// What lowers the trust in this prediction, or in those that the unchanged job's is of.
        TrustLevel levelOfFits() const
        {
            return isFromFits() || isUnchanged() ? TrustLevel::Fair : TrustLevel::Good;
        }

        /// "1 of the 4 ranks is".
        static std::string recordedText(std::size_t recorded, const std::string &of)
        {
            return std::to_string(recorded) + " of the " + of + (recorded == 1 ? " is" : " are")
                + " in the project: ";
        }

        /// `between` is empty where the recorded transfers are between recorded ranks.
        std::string unseenText(const std::string &between) const
        {
            const std::int64_t waitNs = unseenWaitNs(m_evidence.recorded);
            const std::string rest = between.empty() ? "." : "; " + between + ".";
            if (waitNs > 0)
                return durationText(waitNs)
                    + " of an iteration in which transfers seem to be under way are taken to "
                      "be waiting for the others, as the link's rate in the bundle's metadata "
                      "explains the rest"
                    + rest;
            if (between.empty())
                return "waiting for the others is not seen.";
            return "waiting for the others is not seen, and is counted as transfer, on which "
                + restsOnFits()
                + (m_evidence.trace.stated.bandwidthMbit
                       ? ""
                       : " (bandwidth_mbit in a meta.json beside the traces tells them apart)")
                + rest;
        }

        /// Ranks that take part but have no recording: of the job, else of a group.
        void judgeMissing()
        {
            const std::vector<Worker> &workers = m_evidence.trace.workers;
            const auto jobs = static_cast<std::size_t>(
                std::max(0, statedWorldSize(m_evidence.trace).value_or(0)));
            const auto larger = std::find_if(
                m_evidence.recorded.collectives.begin(), m_evidence.recorded.collectives.end(),
                [](const auto &node) { return node.hasUnseenRanks(); });
            const bool isUnseen = larger != m_evidence.recorded.collectives.end();
            if (!lacksRanks(m_evidence.trace, m_evidence.recorded))
                return;
            const std::string waits
                = unseenText(isUnseen ? "transfers are taken to be between "
                                     + std::to_string(larger->rankCount()) + " ranks"
                                      : std::string());
            if (jobs > workers.size())
                add(TrustLevel::Fair,
                    recordedText(workers.size(), "job's " + std::to_string(jobs) + " ranks")
                        + waits);
            else
                add(TrustLevel::Fair,
                    recordedText(larger->parts.size(),
                                 std::to_string(larger->rankCount()) + " ranks that exchange data ("
                                     + larger->name + ")")
                        + waits);
        }

        /// Ranks that recorded less than others, and clocks.
        void judgeRanks()
        {
            const ComparedIterations &compared = m_evidence.trace.compared;
            if (!compared.leftOut.empty() && !compared.isLeftOutByAll)
                add(TrustLevel::Fair, compared.leftOut);
            for (const TrustReason &reason : m_evidence.clocks)
                add(reason.level, reason.text);
        }

        void judgeWaits()
        {
            const std::size_t waits = m_evidence.recorded.possibleWaits.size();
            if (waits == 0)
                return;
            const bool isUsed = !isUnchanged();
            add(isUsed ? TrustLevel::Fair : TrustLevel::Good,
                "The waits of collectives between streams are not recorded in "
                    + countText(waits, "case")
                    + (isUsed ? ". The interval holds that they wait for as much as the recorded "
                                "times allow"
                              : "")
                    + torchProfilerHint(m_evidence.recorded,
                                        "experimental_config=torch._C._profiler."
                                        "_ExperimentalConfig(enable_cuda_sync_events=True)")
                    + ".");
        }

        /// Of the time of all transfers, by the fits.
        double shareOf(const LinkModel &link) const
        {
            const auto timeNs = [](const LinkModel &one) {
                return static_cast<double>(one.transfers) * one.alphaNs
                    + one.betaNsPerByte * one.allBytes();
            };
            double allNs = 0;
            for (const LinkModel &one : m_result.links)
                allNs += timeNs(one);
            return allNs > 0 ? timeNs(link) / allNs : 1;
        }

        /// What of a few small transfers is not known moves no prediction much.
        void judgeFit(const LinkModel &link)
        {
            const bool isMuch = link.medianErrorFraction * shareOf(link) > GoodTotal;
            add(isMuch ? levelOfFits() : TrustLevel::Good,
                "The fit of '" + link.group + "' is off by " + percentText(link.medianErrorFraction)
                    + " in the median: its transfers cost something else than latency and bytes"
                    + (isMuch ? ", and " + restsOnFits() + " on it." : "."));
        }

        void judgeLinks()
        {
            if (const LinkModel *doubted = doubtedLink(m_result.links))
                add(levelOfFits(), doubtReason(*doubted));
            for (const LinkModel &link : m_result.links) {
                if (link.transfers < EnoughTransfers)
                    add(TrustLevel::Good,
                        "Only " + countText(link.transfers, "transfer") + " to fit '" + link.group
                            + "' from.");
                else if (link.medianErrorFraction > PoorFit)
                    judgeFit(link);
            }
        }

        void addNotes()
        {
            std::vector<std::string> notes = m_evidence.graph.notes;
            std::erase_if(notes, [&said = m_result.trustReasons](const std::string &note) {
                return std::find(said.begin(), said.end(), note) != said.end();
            });
            const std::size_t shown = std::min(MostNotes, notes.size());
            m_result.trustReasons.insert(m_result.trustReasons.end(), notes.begin(),
                                         notes.begin() + static_cast<std::ptrdiff_t>(shown));
            if (notes.size() > shown)
                m_result.trustReasons.push_back("... and " + std::to_string(notes.size() - shown)
                                                + " more of that kind.");
        }

        const TrustEvidence &m_evidence;
        Prediction &m_result;
    };

} // namespace

void judgeTrust(const TrustEvidence &evidence, Prediction &result)
{
    Judge(evidence, result);
}

std::string replayErrorText(double errorFraction)
{
    constexpr double SmallestTold = 1e-4; // no replay is free of error
    return percentText(std::max(std::abs(errorFraction), SmallestTold));
}

} // namespace core
