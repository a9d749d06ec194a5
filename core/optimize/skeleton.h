#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/predict/predictor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace core {

/// Ways to make a skeleton small; each can be left out to see what it is worth.
struct SkeletonSizes
{
    bool hasBlocks = true; ///< runs of ops are one block each
    /// One of the ranks that are alike stands for all (alikeRanks()), as far as their times differ
    /// not exactly.
    bool foldsRanks = true;
    /// Where ranks are folded, the first iterations alone: FewestIterations periods.
    bool isOfFewIterations = true;

    static constexpr std::int32_t FewestIterations = 3;
};

/// A smaller job that is replayed to the same times: the graph of a predictor's base, with runs of
/// ops as one block each (core/blocks/contraction.h) and the ops that gradients name kept. It
/// answers which gradients travel together, over which links, and which parts are compiled, in a
/// fraction of the time (dPRO's Coarsened View: Hu et al., MLSys 2022, section 5.3). Where ranks
/// are folded, it answers by which schedule gradients travel, too, with all ops of those that are
/// left.
class Skeleton
{
public:
    /// `environment`: changes that every strategy has; those of computation and hosts are applied
    /// before the graph becomes small. Throws Cancelled.
    Skeleton(const Predictor &predictor, const Strategy &environment, SkeletonSizes sizes,
             const JobControl &control);

    /// Whether iterationNs() is the whole graph's for it but for rounding and folded ranks (0.5 %
    /// where transfers slow computation): it has the environment, and else only changes of buckets,
    /// compiled parts, transfers and, where ranks are folded, schedules. On accelerators launches
    /// that came far ahead are not waited for; where a strategy shortens an iteration by more than
    /// that, it is too short.
    bool answers(const Strategy &strategy) const;
    /// Finds what the strategy, which it answers, and others like it need: call it ahead of the
    /// first of them. Throws Cancelled.
    void findModels(const Strategy &strategy, const JobControl &control);

    /// A strategy's replay.
    struct Replayed
    {
        std::shared_ptr<const Graph> graph;
        ReplayResult result;
        std::int64_t iterationNs = 0;
    };
    /// Empty where the trace does not support the strategy, which it answers. Several threads may
    /// call it. Throws Cancelled.
    std::optional<Replayed> replayed(const Strategy &strategy, const JobControl &control) const;
    /// The predicted iteration alone, ns; as replayed().
    std::optional<std::int64_t> iterationNs(const Strategy &strategy,
                                            const JobControl &control) const;

    std::size_t ops() const { return m_blocks.base->graph->size(); }

private:
    struct Blocks
    {
        std::shared_ptr<const PredictionBase> base; ///< with the small graph
        Models models;
    };

    /// Which of the small graphs answers.
    enum class Size {
        Blocks, ///< contracted
        Parts, ///< contracted, with the part of each tensor compiled by itself
        Folded, ///< alike ranks are folded
        None ///< none does
    };

    Size sizeFor(const Strategy &strategy) const;
    bool hasEnvironment(const Strategy &strategy) const;
    bool isNew(const Change &change) const;
    bool areOfBlocks(const Strategy &strategy) const;
    bool areOfGradients(const Strategy &strategy) const;
    Graph smaller(const Graph &graph, const JobControl &control) const;
    Blocks blocksOf(const Graph &graph, const JobControl &control) const;
    void findParts(const JobControl &control);
    void findFolded(const JobControl &control);
    bool asksParts(const Strategy &strategy) const;

    Predictor m_predictor;
    Strategy m_environment;
    SkeletonSizes m_sizes;
    std::vector<WorkerId> m_standIns; ///< empty: no ranks are folded
    Blocks m_blocks;
    std::optional<Blocks> m_parts, m_folded; ///< once one is asked for
    std::vector<std::optional<std::int64_t>> m_savedNs; ///< savedByJoining()
};

} // namespace core
