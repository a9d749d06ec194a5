#include "core/predict/uncertainty.h"

#include "core/change/change_list.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/link_changes.h"
#include "core/fit/contention/interference.h"
#include "core/fit/links/link_readings.h"
#include "core/fit/links/unseen_waits.h"
#include "core/graph/build/stream_waits.h"
#include "core/measure/iteration_time.h"
#include "core/measure/shortest_iteration.h"
#include "core/predict/iteration_spread.h"
#include "core/predict/more_ranks.h"
#include "core/predict/overlap_readings.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace core {

namespace {

    IterationSpread largest(const IterationSpread &a, const IterationSpread &b, double shareOfB)
    {
        return { std::max(a.ofOneDownNs, shareOfB * b.ofOneDownNs),
                 std::max(a.ofOneUpNs, shareOfB * b.ofOneUpNs),
                 std::max(a.medianDownNs, shareOfB * b.medianDownNs),
                 std::max(a.medianUpNs, shareOfB * b.medianUpNs) };
    }

    /// What the interval of one prediction rests on.
    class IntervalSearch
    {
    public:
        IntervalSearch(const IntervalEvidence &evidence, const Prediction &result,
                       const Strategy &strategy, const JobControl &control)
            : m_trace(evidence.trace)
            , m_measured(evidence.measured)
            , m_base(evidence.base)
            , m_models(evidence.models)
            , m_change(evidence.change)
            , m_result(result)
            , m_control(control)
            , m_job { m_trace, *m_base.graph, m_base.links }
            , m_strategy(withoutMeasured(m_job, strategy))
            , m_effects(effectsOf(m_strategy))
            , m_isUnchanged(strategy.isEmpty())
            , m_lacksRanks(lacksRanks(m_trace, m_measured))
            , m_shortestNs(shortestIterationNs(*result.graph, m_base.iterations))
            , m_linkNs(busiestLinkNs(*result.graph))
        {
        }

        PredictionInterval find()
        {
            const IterationSpread unchanged = spreadOf(m_base.iterations);
            lookAtReadings();
            lookAtOverlap();
            lookAtWaits();
            lookWithinChecked();
            lookAtKinds();
            m_reach.replayErrorNs
                = m_result.replayErrorFraction * static_cast<double>(m_result.predictedNs);
            if (const auto ranks = wantedRanks(m_strategy))
                m_reach.longerNs = longerWaitNs(m_measured, *ranks);
            const IterationSpread spread = spreadWith(unchanged);
            PredictionInterval interval
                = possible(m_reach.around(m_result.predictedNs, spread), ofUnchanged(unchanged));
            interval.widest = m_reach.widest(spread);
            return interval;
        }

    private:
        std::int64_t iterationNs(const Graph &graph) const
        {
            return slowestRankNs(graph, m_base.replayed->replay(graph, m_control),
                                 m_base.iterations);
        }

        std::shared_ptr<const Graph> changed(const std::shared_ptr<const Graph> &graph,
                                             const LinkModels &links, const Strategy &strategy)
        {
            return rewritten(m_trace, graph, links, m_models, strategy, m_control);
        }

        /// How far the predicted change moves with another reading of the same trace.
        double moveNs(std::int64_t fromNs, const Graph &changed) const
        {
            const std::int64_t changeNs = m_result.predictedNs - m_base.predictedNs;
            return static_cast<double>(iterationNs(changed) - fromNs - changeNs);
        }
        double moveNs(const LinkModels &links)
        {
            if (links == m_base.links) // what it reads otherwise is not in the trace
                return 0;
            const auto other = changed(m_base.graph, links, m_strategy);
            m_linkNs = std::min(m_linkNs, busiestLinkNs(*other));
            return moveNs(m_base.predictedNs, *other);
        }

        void lookAtReadings()
        {
            const LinkModels &links = m_base.links;
            if ((m_effects & effect::RestsOnLinks) == 0 || links.empty())
                return;
            for (const LinkModels &reading : otherReadings(links))
                m_reach.add(IntervalSource::Links, moveNs(reading));
            if ((m_effects & effect::Gradients) != 0)
                for (const LinkModels &reading :
                     { withoutPipelining(links), withLatencyOfAllSizes(links) })
                    m_reach.add(IntervalSource::Latency, std::max(0.0, moveNs(reading)));
        }

        /// How much communication costs computation is known to a standard error. Where that bounds
        /// how fast the ranks' cores drive their links, they may do so at no cost, too: what slows
        /// ops down that overlap transfers need not be the transfers.
        void lookAtOverlap()
        {
            if (m_strategy.isEmpty() || m_base.stretch->isNone())
                return;
            const auto readings = m_models.overlap != nullptr
                ? m_models.overlap
                : std::make_shared<const std::vector<OverlapReading>>(
                    overlapReadings(m_measured, m_base, m_control));
            double farthestNs = 0;
            for (const std::size_t i :
                 { MoreCost, m_result.graph->isDriveBound ? NoCost : LessCost }) {
                const OverlapReading &reading = (*readings)[i];
                if (reading.slowdown == m_base.graph->slowdown)
                    continue;
                const auto other = std::make_shared<const Graph>(reading.of(*m_base.graph));
                const auto otherChanged = changed(other, m_base.links, m_strategy);
                farthestNs
                    = std::max(farthestNs, std::abs(moveNs(reading.predictedNs, *otherChanged)));
                noteShortest(*otherChanged);
            }
            m_reach.add(IntervalSource::Overlap, farthestNs);
        }

        /// What collectives wait for, where it is not known, may be all that the times allow.
        void lookAtWaits()
        {
            if (m_strategy.isEmpty() || m_base.graph->possibleWaits.empty())
                return;
            const auto other = std::make_shared<const Graph>(withPossibleWaits(*m_base.graph));
            const auto otherChanged = changed(other, m_base.links, m_strategy);
            m_reach.add(IntervalSource::Waits, moveNs(iterationNs(*other), *otherChanged));
            noteShortest(*otherChanged);
        }

        void lookWithinChecked()
        {
            const Strategy checked = nearestChecked(m_job, m_strategy);
            if (checked == m_strategy)
                return;
            const auto nearer = changed(m_base.graph, m_base.links, checked);
            const std::int64_t beyondNs = iterationNs(*nearer) - m_result.predictedNs;
            m_reach.add(IntervalSource::Unchecked, static_cast<double>(beyondNs));
            noteShortest(*nearer);
        }

        ReadingReach &reachOf(IntervalSource source)
        {
            if (source == IntervalSource::Batch)
                return m_reach.batch;
            return source == IntervalSource::Compute ? m_reach.compute : m_reach.cores;
        }

        /// The other readings that kinds of change know of.
        void lookAtKinds()
        {
            const DoubtEvidence evidence { m_job,    *m_result.graph,    m_strategy,
                                           m_models, m_base.predictedNs, m_result.predictedNs };
            for (const auto &kind : changeKinds()) {
                if (!kind->isAsked(m_strategy))
                    continue;
                for (const OtherReading &reading : kind->otherReadings(evidence)) {
                    const auto graph = reading.models || reading.strategy
                        ? rewritten(m_trace, m_base.graph, m_base.links,
                                    reading.models.value_or(m_models),
                                    reading.strategy.value_or(m_strategy), m_control)
                        : reading.rewritten;
                    noteShortest(*graph);
                    reachOf(reading.source)
                        .include(static_cast<double>(iterationNs(*graph) - m_result.predictedNs));
                }
            }
        }

        /// Of another reading of the trace, by which the computation is another.
        void noteShortest(const Graph &graph)
        {
            m_shortestNs = std::min(m_shortestNs, shortestIterationNs(graph, m_base.iterations));
        }

        /// What other ranks or another algorithm send is a formula's: their links may need less.
        std::int64_t leastNs() const
        {
            const bool areBytesKnown = (m_effects & (effect::Ranks | effect::Algorithm)) == 0;
            return (m_effects & effect::Rate) != 0 && areBytesKnown
                ? std::max(m_shortestNs, m_linkNs)
                : m_shortestNs;
        }

        IterationSpread spreadOf(const std::vector<ReplayedIterations> &iterations) const
        {
            const IterationSpread spread = iterationSpread(iterations, m_control);
            return m_lacksRanks ? withUnseenRank(spread, iterations) : spread;
        }

        /// No change of the job is surer than the job as it was: at least the spread of the
        /// unchanged iterations, for the length of the predicted ones.
        IterationSpread spreadWith(const IterationSpread &unchanged) const
        {
            if (m_isUnchanged)
                return unchanged;
            const double share = static_cast<double>(m_result.predictedNs)
                / static_cast<double>(std::max<std::int64_t>(1, m_base.predictedNs));
            return largest(spreadOf(m_result.iterations), unchanged, share);
        }

        PredictionInterval ofUnchanged(const IterationSpread &spread) const
        {
            IntervalReach reach;
            reach.replayErrorNs
                = m_result.replayErrorFraction * static_cast<double>(m_base.predictedNs);
            PredictionInterval interval = reach.around(m_base.predictedNs, spread);
            interval.typicalLowNs = interval.typicalHighNs = m_base.predictedNs;
            return interval;
        }

        /// Cut to what can be.
        PredictionInterval possible(PredictionInterval interval,
                                    const PredictionInterval &unchanged) const
        {
            const double overstated = 1 + std::max(0.0, m_result.replayErrorFraction);
            const std::int64_t shortestNs
                = std::llround(static_cast<double>(leastNs()) / overstated);
            cut(interval.lowNs, interval.highNs, shortestNs, unchanged.lowNs, unchanged.highNs);
            cut(interval.typicalLowNs, interval.typicalHighNs, shortestNs, unchanged.typicalLowNs,
                unchanged.typicalHighNs);
            return interval;
        }

        void cut(std::int64_t &lowNs, std::int64_t &highNs, std::int64_t shortestNs,
                 std::int64_t unchangedLowNs, std::int64_t unchangedHighNs) const
        {
            lowNs = std::max(lowNs, shortestNs);
            if (m_change.isNowhereFaster())
                lowNs = std::max(lowNs, unchangedLowNs);
            if (m_change.isNowhereSlower())
                highNs = std::min(highNs, unchangedHighNs);
            lowNs = std::min(lowNs, m_result.predictedNs);
            highNs = std::max(highNs, m_result.predictedNs);
        }

        const Trace &m_trace;
        const Graph &m_measured;
        const PredictionBase &m_base;
        const Models &m_models;
        const GraphChange &m_change;
        const Prediction &m_result;
        const JobControl &m_control;
        const MeasuredJob m_job;
        const Strategy m_strategy; ///< without what is as measured
        const unsigned m_effects;
        const bool m_isUnchanged;
        const bool m_lacksRanks; ///< the slowest one may have no recording
        std::int64_t m_shortestNs; ///< of an iteration, by every reading so far
        std::int64_t m_linkNs; ///< see busiestLinkNs(); the least by every reading so far
        IntervalReach m_reach;
    };

    /// For more ranks than predictions were checked for, the interval of as many as were; none
    /// where those may take longer. What each further rank takes is doubted whole there, and by
    /// the readings of the links again: together they would take more off than it adds.
    std::optional<PredictionInterval> ofCheckedRanks(const IntervalEvidence &evidence,
                                                     const Prediction &result,
                                                     const Strategy &strategy,
                                                     const JobControl &control)
    {
        const PredictionBase &base = evidence.base;
        const MeasuredJob job { evidence.trace, *base.graph, base.links };
        const Strategy fewer = nearestChecked(job, strategy, effect::Ranks);
        if (wantedRanks(fewer).value_or(0) >= wantedRanks(strategy).value_or(0))
            return std::nullopt;
        Prediction checked;
        checked.replayErrorFraction = result.replayErrorFraction;
        checked.graph
            = rewritten(evidence.trace, base.graph, base.links, evidence.models, fewer, control);
        if (!graphChange(*checked.graph, *result.graph).isNowhereFaster())
            return std::nullopt;
        const ReplayResult replay = base.replayed->replay(*checked.graph, control);
        checked.iterations = replayedIterations(*checked.graph, replay, base.iterations);
        checked.predictedNs = slowestTypicalNs(checked.iterations);
        const GraphChange change = graphChange(*base.graph, *checked.graph);
        return IntervalSearch({ evidence.trace, evidence.measured, base, evidence.models, change },
                              checked, fewer, control)
            .find();
    }

} // namespace

std::optional<std::string> intervalObstacle(const Prediction &result, const Graph &recorded)
{
    if (!result.hasIterations)
        return "nothing in the recording tells iterations apart, so how much they differ is not "
               "known";
    if (recorded.iterationCount < 2) // a what-if may repeat it
        return "only one iteration is recorded on every rank; record three or more";
    return {};
}

PredictionInterval predictionInterval(const IntervalEvidence &evidence, const Prediction &result,
                                      const Strategy &strategy, const JobControl &control)
{
    PredictionInterval interval = IntervalSearch(evidence, result, strategy, control).find();
    if (const auto checked = ofCheckedRanks(evidence, result, strategy, control)) {
        interval.lowNs = std::min(checked->lowNs, result.predictedNs);
        interval.typicalLowNs = std::min(checked->typicalLowNs, result.predictedNs);
    }
    return interval;
}

} // namespace core
