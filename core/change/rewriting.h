#pragma once

#include "core/base/job_control.h"
#include "core/change/change_kind.h"
#include "core/change/gradients/partition_changes.h"

#include <memory>
#include <optional>
#include <string>

namespace core {

/// A job under change: what kinds of change read, and the graph that they rewrite one after the
/// other. Refers to its arguments.
class Rewriting
{
public:
    Rewriting(const MeasuredJob &job, std::shared_ptr<const Graph> graph, const Models &models,
              const Strategy &strategy, const JobControl &control);

    const Trace &trace() const { return m_job.trace; }
    const LinkModels &links() const { return m_job.links; }
    const Graph &recorded() const { return m_job.graph; } ///< before any change
    const Models &models() const { return m_models; }
    const Strategy &strategy() const { return m_strategy; }
    const JobControl &control() const { return m_control; }

    const Graph &graph() const { return *m_graph; } ///< as rewritten so far
    std::shared_ptr<const Graph> shared() const { return m_graph; }
    const Graph &atStageStart() const { return *m_atStageStart; }
    void set(std::shared_ptr<const Graph> graph) { m_graph = std::move(graph); }
    void set(Graph graph) { m_graph = std::make_shared<const Graph>(std::move(graph)); }

    /// Another graph of the same job with all changes of a stage: for plans that depend on them.
    std::shared_ptr<const Graph> withStage(Stage stage, std::shared_ptr<const Graph> graph) const;
    /// Applies all changes of a stage.
    void applyStage(Stage stage);

    /// How gradients are sent in partitions, once that is decided.
    PartitionChanges partitions;

private:
    const MeasuredJob &m_job;
    const Models &m_models;
    const Strategy &m_strategy;
    const JobControl &m_control;
    std::shared_ptr<const Graph> m_graph, m_atStageStart;
};

/// A graph with all changes of a strategy, or why there is none.
struct Rewritten
{
    std::shared_ptr<const Graph> graph;
    std::optional<std::string> obstacle; ///< why the trace does not support the strategy
};

/// The graph with all changes of a strategy, kind by kind in the order of changeKinds(); with an
/// empty one `graph` itself, which is as recorded. Throws Cancelled.
Rewritten tryRewriting(const Trace &trace, std::shared_ptr<const Graph> graph,
                       const LinkModels &links, const Models &models, const Strategy &strategy,
                       const JobControl &control);

/// The same of a graph of blocks, in which the changes of the ranks' own work are already: only
/// those of gradients and transfers are made; see ChangeKind::worksOnBlocks().
Rewritten tryRewritingOfBlocks(const Trace &trace, std::shared_ptr<const Graph> blocks,
                               const LinkModels &links, const Models &models,
                               const Strategy &strategy, const JobControl &control);

/// The graph of tryRewriting() for a strategy that the trace is known to support. Throws Error
/// where it does not; Cancelled.
std::shared_ptr<const Graph> rewritten(const Trace &trace, std::shared_ptr<const Graph> graph,
                                       const LinkModels &links, const Models &models,
                                       const Strategy &strategy, const JobControl &control);

} // namespace core
