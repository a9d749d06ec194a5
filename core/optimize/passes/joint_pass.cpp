#include "core/optimize/passes/joint_pass.h"

#include "core/base/duration_text.h"
#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/bucket_boundaries.h"
#include "core/optimize/metropolis.h"
#include "core/optimize/passes/schedule_proposals.h"
#include "core/optimize/search.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace core {

namespace {

    constexpr PassInfo JointInfo {
        .name = "joint",
        .title = "Walk by chance",
        .hint = "Buckets or schedules of partitions, with compiled parts",
        .source = "Metropolis' rule over the joint space, as FlexFlow searches (Jia et al., MLSys "
                  "2019); repeated blocks change together, as in dPRO",
        .isAnotherSystem = true
    };

    constexpr std::size_t MostBucketGuesses = 6000, MostScheduleGuesses = 120,
                          JointGuessesAtOnce = 8, JointProposals = 4;
    constexpr double FirstJointTemperature = 0.01; ///< of an iteration

    constexpr std::array<std::uint64_t, 5> JointPartitions { 65'536, 262'144, 1'048'576, 4'194'304,
                                                             16'777'216 };

    /// A point of the joint space.
    struct JointState
    {
        Boundaries buckets, parts;
        bool isCompiled = false; ///< `parts` count
        std::optional<ScheduledSizes> schedule; ///< in place of `buckets`
    };

    std::string countsText(const Boundaries &boundaries, std::size_t tensors)
    {
        return bucketCountsText(countsBetween(boundaries, tensors));
    }

    class JointWalk
    {
    public:
        explicit JointWalk(Search &search)
            : m_search(search)
            , m_start(search.best())
            , m_step(*usualStep(search.predictor().job().graph))
        {
            for (const char *name : { "fifo", "p3", "bytescheduler" })
                if (!scheduleObstacle(search, name))
                    m_schedules.emplace_back(name);
            findRepeated();
        }

        void run()
        {
            if (tensors() < 2)
                return;
            walk(startState(), false);
            if (m_schedules.empty())
                return;
            JointState scheduled = startState();
            changeSchedule(scheduled);
            walk(scheduled, true);
        }

    private:
        /// Among buckets, or schedules, and compiled parts.
        void walk(JointState now, bool isScheduled)
        {
            const auto startNs = m_search.guess({ strategyOf(now) }).front();
            if (!startNs)
                return;
            double nowNs = static_cast<double>(*startNs), bestNs = nowNs;
            JointState best = now;
            const std::size_t most = isScheduled ? MostScheduleGuesses : MostBucketGuesses;
            std::size_t nextProposal = 0;
            for (std::size_t guesses = 0; guesses < most; guesses += JointGuessesAtOnce) {
                std::vector<JointState> moves;
                std::vector<Strategy> strategies;
                while (moves.size() < JointGuessesAtOnce) {
                    moves.push_back(moved(now));
                    strategies.push_back(strategyOf(moves.back()));
                }
                const auto guessed = m_search.guess(strategies);
                const double left = 1 - static_cast<double>(guesses) / static_cast<double>(most);
                const double temperatureNs = FirstJointTemperature * bestNs * left;
                for (std::size_t i = 0; i < moves.size(); ++i) {
                    const double ns = static_cast<double>(guessed[i].value_or(0));
                    if (!guessed[i] || !isTakenAt(temperatureNs, ns - nowNs, m_search.random()))
                        continue;
                    now = moves[i];
                    nowNs = ns;
                    if (ns < bestNs) {
                        best = now;
                        bestNs = ns;
                    }
                    break;
                }
                if (guesses < nextProposal)
                    continue;
                nextProposal += most / JointProposals;
                propose(best); // the time may be up at any time
            }
            propose(best);
        }

        std::size_t tensors() const { return m_step.parameterBytes.size(); }

        JointState startState() const
        {
            JointState state;
            const auto cuts = bucketCounts(m_start.text(CutsKey).value_or(""));
            state.buckets = boundariesOf(cuts.value_or(bucketCountsOf(m_step)));
            state.parts = state.buckets;
            const auto text = m_start.text(OpFusionKey);
            state.isCompiled = text && *text != FuseNone;
            if (state.isCompiled && *text != FuseBuckets)
                state.parts = boundariesOf(opFusionOf(m_start, m_step).counts);
            return state;
        }

        /// Boundaries between tensors of the same sizes, which repeated blocks have.
        void findRepeated()
        {
            const std::vector<std::uint64_t> &bytes = m_step.parameterBytes;
            const auto at = [&bytes](std::size_t i) { return i < bytes.size() ? bytes[i] : 0; };
            std::map<std::array<std::uint64_t, 4>, std::vector<std::size_t>> alike;
            for (std::size_t i = 1; i < bytes.size(); ++i)
                alike[{ i < 2 ? 0 : bytes[i - 2], bytes[i - 1], bytes[i], at(i + 1) }].push_back(i);
            m_repeated.resize(bytes.size());
            for (const auto &entry : alike)
                for (const std::size_t i : entry.second)
                    m_repeated[i] = entry.second;
        }

        bool tosses() { return chosenOf(2, m_search.random()) == 0; }

        /// A boundary comes or goes, there alone or in all repeated blocks.
        void toggle(Boundaries &boundaries)
        {
            const std::size_t boundary = 1 + chosenOf(tensors() - 1, m_search.random());
            const bool comes = !boundaries.contains(boundary);
            const std::vector<std::size_t> one { boundary };
            const bool movesAll = m_search.request().speedUps.movesRepeatedBlocks && tosses();
            for (const std::size_t other : movesAll ? m_repeated[boundary] : one)
                if (comes)
                    boundaries.insert(other);
                else
                    boundaries.erase(other);
        }

        JointState moved(JointState state)
        {
            enum { Buckets, Parts, BothAlike, Compiled, Kinds };
            const std::size_t kind = chosenOf(Kinds, m_search.random());
            if (kind == Compiled) {
                state.isCompiled = !state.isCompiled;
            } else if (kind == Parts && state.isCompiled) {
                toggle(state.parts);
            } else if (state.schedule) {
                changeSchedule(state);
            } else {
                toggle(state.buckets);
                if (kind == BothAlike)
                    state.parts = state.buckets; // theorem 3
            }
            return state;
        }

        void changeSchedule(JointState &state)
        {
            const std::size_t chosen = chosenOf(m_schedules.size(), m_search.random());
            const std::uint64_t bytes
                = JointPartitions[chosenOf(JointPartitions.size(), m_search.random())];
            state.schedule = ScheduledSizes { m_schedules[chosen], bytes };
            if (m_schedules[chosen] == "bytescheduler")
                state.schedule->creditBytes = bytes * (1 + chosenOf(8, m_search.random()));
        }

        Strategy strategyOf(const JointState &state) const
        {
            Strategy changes;
            if (state.schedule) {
                changes.set({ "schedule", state.schedule->schedule });
                changes.set(
                    { "partition_bytes", static_cast<double>(*state.schedule->partitionBytes) });
                if (state.schedule->creditBytes)
                    changes.set(
                        { "credit_bytes", static_cast<double>(*state.schedule->creditBytes) });
            } else {
                changes.set({ std::string(CutsKey), countsText(state.buckets, tensors()) });
            }
            if (state.isCompiled)
                changes.set({ std::string(OpFusionKey), countsText(state.parts, tensors()) });
            Strategy whole = m_start;
            whole.remove(OpFusionKey);
            return Search::with(std::move(whole), changes);
        }

        void propose(const JointState &state)
        {
            std::string text = state.schedule ? state.schedule->schedule + " with partitions of "
                    + bytesText(*state.schedule->partitionBytes)
                                              : countText(state.buckets.size() + 1, "bucket");
            if (state.isCompiled)
                text += " and " + countText(state.parts.size() + 1, "compiled part");
            m_search.propose(strategyOf(state), text, "the best so far of a walk by chance",
                             static_cast<double>(state.parts.size() + state.buckets.size()));
        }

        Search &m_search;
        Strategy m_start;
        const GradientStep &m_step;
        std::vector<std::string> m_schedules;
        std::vector<std::vector<std::size_t>> m_repeated; ///< by boundary
    };

    class JointPass : public Pass
    {
    public:
        const PassInfo &info() const override { return JointInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            if (auto obstacle = search.obstacle(std::string(CutsKey)))
                return obstacle;
            return search.obstacle(std::string(OpFusionKey));
        }

        void run(Search &search) const override { JointWalk(search).run(); }
    };

} // namespace

std::unique_ptr<const Pass> jointPass()
{
    return std::make_unique<JointPass>();
}

} // namespace core
