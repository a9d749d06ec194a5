#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/predict/predictor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace core {

/// A smaller job that is replayed to the same times: the graph of a predictor's base, with runs of
/// ops as one block each (core/blocks/contraction.h) and the ops that gradients name kept. It
/// answers which gradients travel together, and over which links, in a fraction of the time.
class Skeleton
{
public:
    /// `environment`: changes that every strategy has; those of computation and hosts are applied
    /// before the graph becomes small. Throws Cancelled.
    Skeleton(const Predictor &predictor, const Strategy &environment, const JobControl &control);

    /// Whether iterationNs() is the whole graph's for it but for rounding (0.5 % where transfers
    /// slow computation): it has the environment, and else only changes of buckets and transfers.
    /// On accelerators launches that came far ahead are not waited for; where a strategy shortens
    /// an iteration by more than that, it is too short.
    bool answers(const Strategy &strategy) const;
    /// The predicted iteration, ns; empty where the trace does not support the strategy, which it
    /// answers. Several threads may call it. Throws Cancelled.
    std::optional<std::int64_t> iterationNs(const Strategy &strategy,
                                            const JobControl &control) const;

    std::size_t ops() const { return m_base->graph->size(); }

private:
    Strategy m_environment;
    const Trace *m_trace;
    Models m_models;
    std::shared_ptr<const PredictionBase> m_base; ///< with the small graph
};

} // namespace core
