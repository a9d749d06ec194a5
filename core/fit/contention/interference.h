#pragma once

#include "core/base/job_control.h"
#include "core/fit/contention/kernel_overlap.h"
#include "core/fit/contention/overlap_regression.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace core {

/// What a CPU backend's communication costs the computation that it overlaps: both share the
/// worker's cores. A framework op that takes t alone takes t * exp(c * r) while r bytes a
/// nanosecond go over the worker's link.
struct Interference
{
    double costNsPerByte = 0; ///< c, the estimate joined with the prior
    double standardError = 0; ///< of c
    std::size_t samples = 0; ///< ops that costOfAlikeOps() compares
};

/// The largest slowdown that the model is used for: of c * r = 1, which leaves 1 / e of a core to
/// computation.
inline constexpr double LargestSlowdown = 2.718281828459045;

/// Estimates c from the trace, by costOfAlikeOps(), costOfProducts() and costAcrossRanks(): an op
/// is compared with its like, with others, and with itself on other ranks. All, and a prior, are
/// joined by the inverse squares of their errors (the estimator of random effects: Maddala,
/// Econometrica 39(2), 1971). Prior: 0.2 of a core for each Gbit/s and direction (TCP with
/// segmentation offload on one core; the rule of thumb of Foong et al., ISPASS 2003, 1 Hz of a core
/// a bit, gives 0.3 to 0.4), with an error as large as itself. Throws Cancelled.
Interference estimateInterference(const Graph &graph, const Trace &trace, DeviceId link,
                                  const LinkModel &model, const JobControl &control = {});

/// What communication adds to the computation of a measured graph that it overlaps: a CPU backend's
/// to framework ops or, where there is none, that of accelerators to their kernels. Found once, for
/// any reading of its cost.
///
/// Kernels of transfers take multiprocessors and memory bandwidth of those beside them, but while
/// they wait for other ranks they move nothing: only the time counts in which data is on its way.
/// How much it is depends on the kernels, the links and the library, so the trace alone tells
/// (costOfKernels()), and where it does not, kernels are taken to be as fast as recorded. Then as
/// much as was measured elsewhere on average is the upper end of what is possible: 18.9 % longer
/// (Lee et al., Characterizing Compute-Communication Overlap in GPU-Accelerated Distributed Deep
/// Learning, arXiv 2507.03114, 2025).
class OverlapStretch
{
public:
    /// Of nothing where no communication overlaps computation that could be slowed down by it, or
    /// where that is not recorded. Throws Cancelled.
    OverlapStretch(const Graph &measured, const Trace &trace, const LinkModels &links,
                   const JobControl &control = {});

    bool isNone() const { return m_slowing.empty(); }
    /// Whether the trace tells the cost, which of a CPU backend it does as far as the prior, or
    /// there is none to tell.
    bool isKnown() const { return m_isKnown; }

    /// The graph with its ops un-stretched where they overlapped communication, and told how much
    /// the replay is to stretch them where they will (Graph::stretchShare, slowdown,
    /// Device::slows). `measured` is the one that it was found for.
    Graph takenFrom(Graph measured) const;

    /// The cost is taken `sigmas` standard errors above its estimate, and at least 0.
    double slowdown(double sigmas = 0) const;
    /// By OpId: how long ops take without it, if that was the slowdown. Unless isNone().
    std::vector<std::int64_t> alone(const Graph &measured, double slowdown) const;

private:
    void findOnHosts(const Graph &measured, const Trace &trace, const LinkModels &links,
                     const JobControl &control);
    void findOnAccelerators(const Graph &measured, const Trace &trace, const JobControl &control);
    void setCostOfKernels(const OverlapCost &cost);

    std::vector<CommunicatingDevice> m_slowing;
    bool m_isKnown = true;
    double m_cost = 0, m_standardError = 0; ///< of the slowdown's logarithm
    std::vector<float> m_share; ///< by OpId: the part of its duration that is slowed down
    std::vector<double> m_overlap; ///< by OpId: in which part of it data was on its way
};

/// How much longer the computation that overlapped transfers took for them: 0.1 where all of it
/// together took 10 % longer than it takes alone. Much of it may be such as does not slow down
/// (Graph::stretchShare). `modelled` is OverlapStretch::takenFrom() `measured`; 0 where that
/// stretches nothing.
double overlapSlowdown(const Graph &measured, const Graph &modelled);

} // namespace core
