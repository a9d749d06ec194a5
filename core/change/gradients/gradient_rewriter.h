#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/graph_edits.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/graph/graph_builder.h"
#include "core/model/slice_index.h"
#include "core/model/trace.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// What is sent of gradients' bytes: less than all of them where a communication hook compresses
/// them; all where the sizes of all-reduces are not recorded.
double sentShare(const Graph &graph, const WholeIterations &iterations);

/// What all rewritings of a data-parallel reduction of gradients share: the measured all-reduces
/// make way for new ones, with the time that handing them over took.
class GradientRewriter
{
public:
    /// The steps of all ranks in one iteration; their parameters have the same order. Iterations
    /// that are not whole (WholeIterations) are left as they are, and a note says so.
    using Steps = std::vector<const GradientStep *>;

    GradientRewriter(const Graph &graph, const Trace &trace, const LinkModels &links,
                     const JobControl &control, const GraphRoom &more = {});

    GraphBuilder &builder() { return m_builder; }
    const std::map<std::int32_t, Steps> &iterations() const { return m_steps; }

    /// The measured all-reduces of one iteration go, and so does the time of handing them over,
    /// which leaves the gradients' ops.
    void drop(const Steps &ranks);
    /// The call that hands an all-reduce over, on average; 0 where it is not recorded.
    struct HandOff
    {
        std::int64_t durationNs = 0;
        std::int64_t launchNs = 0; ///< on accelerators: from its start until it has launched it
        std::int64_t delayNs = 0; ///< on accelerators: until what is launched begins, at the least
    };
    HandOff handOff(WorkerId worker) const;
    /// Adds an all-reduce of `gradientBytes` of gradients (as many bytes, or fewer, as the measured
    /// ones carry of theirs) that each rank is ready for when the gradient of `parameter`
    /// is (on accelerators, when the caller has it launched, too); it takes the fitted alpha + beta
    /// * bytes, and begins as late as ranks without a recording let it. Returns its index among the
    /// builder's collectives; its parts are those of `ranks`, in their order. Throws Error if no
    /// transfer of the trace tells the cost of an all-reduce; Cancelled.
    std::size_t addReduction(const Steps &ranks, std::size_t parameter,
                             std::uint64_t gradientBytes);
    /// Of a collective that addReduction() gave: its latency is beside the link's time, as others
    /// can use the link meanwhile (see LinkModel::isPipelined): the transfer's delay from now on.
    void hideLatency(std::size_t collective);
    /// A collective that addReduction() gave is a slice of many: where its link serves several at
    /// once, it takes what costOfSlice() says. The limits are the same for all.
    void makeSlice(std::size_t collective, const SliceLimits &limits);
    /// Call last: takes dropped all-reduces out of the builder. Where each one went that is kept,
    /// by its index before; 0 of others.
    std::vector<std::size_t> removeDropped() { return removeCollectives(m_dropped, m_builder); }

private:
    void keepOthers(const WholeIterations &iterations);
    void findHandOffs();
    void findLaunches();
    void dropHandOff(const GradientStep &step, const GradientStep::Bucket &bucket);
    /// The rank's part of the step's first measured all-reduce.
    const CollectiveNode::Part &partOf(const GradientStep &step);
    const CollectiveNode::Part &partIn(std::size_t collective, WorkerId worker) const;
    /// At whose end the gradient is ready.
    static OpId lastOf(const GradientStep &step, std::size_t parameter);
    std::int64_t unseenWaitNs(const GradientStep &step, std::size_t parameter);
    std::int64_t findUnseenWaitNs(const GradientStep &step, std::size_t parameter) const;
    /// The step's measured all-reduce whose size is nearest, where they state their algorithms.
    const CollectiveNode &measuredLike(const GradientStep &step, std::uint64_t bytes) const;
    CollectiveNode::Part addPart(const GradientStep &step, const CollectiveNode &node,
                                 std::size_t parameter);
    /// What a reduction takes: that of one as large by the same ranks is the same.
    struct Fit
    {
        const GradientStep *step = nullptr; ///< the first rank's
        std::uint64_t bytes = 0;
        const CollectiveNode *measured = nullptr; ///< what it is like
        std::string chosenAlgorithm;
        std::int64_t durationNs = 0;
    };
    const Fit &fitOf(const GradientStep &step, std::uint64_t bytes);
    /// Of a collective like `measured`, by that algorithm.
    std::int64_t fittedNs(DeviceId link, const CollectiveNode &measured, std::string_view algorithm,
                          std::uint64_t bytes) const;
    /// Of an all-reduce on the link: the time for which others can use it.
    std::int64_t hiddenLatencyNs(DeviceId link) const;
    std::optional<std::int64_t> sliceNs(DeviceId link, std::uint64_t bytes,
                                        const SliceLimits &limits) const;

    const Graph &m_graph;
    const Trace &m_trace;
    const LinkModels &m_links;
    const JobControl &m_control;
    GraphBuilder m_builder;
    double m_sentShare = 1;
    std::map<std::int32_t, Steps> m_steps;
    std::vector<HandOff> m_handOffs; ///< by WorkerId
    std::vector<OpId> m_nextOnThread; ///< by OpId, of accelerators' hosts; NoOp; else empty
    std::vector<const CollectiveNode::Part *> m_parts; ///< by gradient step; null: not yet found
    std::set<std::size_t> m_dropped; ///< indices of measured collectives
    /// What the last slice took: most slices are as large as the one before.
    struct LastSlice
    {
        DeviceId link;
        std::uint64_t bytes = 0;
        std::optional<std::int64_t> ns;
    };
    std::optional<LastSlice> m_lastSlice;
    Fit m_lastFit; ///< most are as large as the one before
    /// Of the last reduction: most are of the same parameter.
    struct LastWait
    {
        const GradientStep *step = nullptr;
        std::size_t parameter = 0;
        std::int64_t ns = 0;
    };
    LastWait m_lastWait;
};

} // namespace core
