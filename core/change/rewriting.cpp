#include "core/change/rewriting.h"

#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/infeasible.h"
#include "core/graph/graph_fault.h"

#include <initializer_list>

namespace core {

namespace {

    /// A kind of change that leaves a broken graph is an error in the program: debug builds and
    /// their tests look for it.
    void verify([[maybe_unused]] const Graph &graph, [[maybe_unused]] const ChangeKind &kind)
    {
#ifndef NDEBUG
        const std::string fault = graphFault(graph);
        if (fault.empty())
            return;
        const auto traits = kind.traits();
        throw Error("Error in Longpole: after the change "
                    + (traits.empty() ? "that follows from others"
                                      : "'" + std::string(traits.front().key) + "'")
                    + " " + fault + ".");
#endif
    }

    Rewritten withStages(const MeasuredJob &job, Rewriting &rewriting,
                         std::initializer_list<Stage> stages)
    {
        throwIfCancelled(rewriting.control());
        if (auto obstacle = strategyObstacle(job, rewriting.strategy()))
            return { nullptr, std::move(obstacle) };
        try {
            for (const Stage stage : stages)
                rewriting.applyStage(stage);
        } catch (const Infeasible &error) {
            return { nullptr, error.message() };
        }
        return { rewriting.shared(), std::nullopt };
    }

} // namespace

Rewriting::Rewriting(const MeasuredJob &job, std::shared_ptr<const Graph> graph,
                     const Models &models, const Strategy &strategy, const JobControl &control)
    : m_job(job)
    , m_models(models)
    , m_strategy(strategy)
    , m_control(control)
    , m_graph(std::move(graph))
    , m_atStageStart(m_graph)
{
}

void Rewriting::applyStage(Stage stage)
{
    throwIfCancelled(m_control);
    m_atStageStart = m_graph;
    for (const auto &kind : changeKinds())
        if (kind->stage() == stage && kind->isAsked(m_strategy)) {
            kind->apply(*this);
            verify(*m_graph, *kind);
        }
}

std::shared_ptr<const Graph> Rewriting::withStage(Stage stage,
                                                  std::shared_ptr<const Graph> graph) const
{
    Rewriting other(m_job, std::move(graph), m_models, m_strategy, m_control);
    other.partitions = partitions;
    other.applyStage(stage);
    return other.shared();
}

Rewritten tryRewriting(const Trace &trace, std::shared_ptr<const Graph> graph,
                       const LinkModels &links, const Models &models, const Strategy &strategy,
                       const JobControl &control)
{
    const std::shared_ptr<const Graph> recorded = graph;
    const MeasuredJob job { trace, *recorded, links };
    Rewriting rewriting(job, std::move(graph), models, strategy, control);
    return withStages(job, rewriting,
                      { Stage::Gradients, Stage::Work, Stage::Transfers, Stage::Shown });
}

Rewritten tryRewritingOfBlocks(const Trace &trace, std::shared_ptr<const Graph> blocks,
                               const LinkModels &links, const Models &models,
                               const Strategy &strategy, const JobControl &control)
{
    const std::shared_ptr<const Graph> recorded = blocks;
    const MeasuredJob job { trace, *recorded, links };
    Rewriting rewriting(job, std::move(blocks), models, strategy, control);
    return withStages(job, rewriting, { Stage::Gradients, Stage::Transfers });
}

std::shared_ptr<const Graph> rewritten(const Trace &trace, std::shared_ptr<const Graph> graph,
                                       const LinkModels &links, const Models &models,
                                       const Strategy &strategy, const JobControl &control)
{
    Rewritten found = tryRewriting(trace, std::move(graph), links, models, strategy, control);
    if (found.obstacle)
        throw Error(*found.obstacle);
    return found.graph;
}

} // namespace core
