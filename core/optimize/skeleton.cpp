#include "core/optimize/skeleton.h"

#include "core/blocks/contraction.h"
#include "core/change/change_list.h"
#include "core/change/gradients/bucket_base.h"
#include "core/change/rewriting.h"

#include <algorithm>

namespace core {

namespace {

    /// The ops by which gradients are handed over and waited for. A gradient's are also the last of
    /// their blocks; what launches an all-reduce stays a single op, as its time is looked at.
    BlockBounds gradientBounds(const Graph &graph)
    {
        BlockBounds bounds { std::vector<char>(graph.size(), 0),
                             std::vector<char>(graph.size(), 0) };
        const auto endAt = [&bounds](OpId op) { bounds.ends[op.value] = 1; };
        const auto beginAt = [&bounds](OpId op) { bounds.begins[op.value] = 1; };
        const auto keep = [&](OpId op) {
            beginAt(op);
            endAt(op);
        };
        for (const GradientStep &step : graph.gradientSteps) {
            std::for_each(step.gradients.begin(), step.gradients.end(), endAt);
            std::for_each(step.kernels.begin(), step.kernels.end(), endAt);
            std::for_each(step.copyStarts.begin(), step.copyStarts.end(), beginAt);
            for (const GradientStep::Bucket &bucket : step.buckets)
                for (const CollectiveNode::Part &part : graph.collectives[bucket.collective].parts)
                    for (const Edge &edge : graph.predecessors(part.ready))
                        if (edge.kind == EdgeKind::Launch)
                            keep(edge.op);
        }
        return bounds;
    }

    /// Launches that ended so long before their kernels began, as a part of an iteration, stay out
    /// of the way under any layout of buckets. A full replay checks what is found.
    constexpr double LeastLaunchSlack = 0.05;

    bool followsOnItsDevice(const Graph &graph, std::uint32_t op)
    {
        const auto preds = graph.predecessors(OpId(op));
        return std::any_of(preds.begin(), preds.end(), [&](const Edge &edge) {
            return edge.kind != EdgeKind::Launch && graph.device[edge.op.value] == graph.device[op];
        });
    }

    /// The graph without the edges of launches that are never waited for. An op that nothing else
    /// puts in its place on its device keeps them.
    Graph withoutEarlyLaunches(const Graph &graph, const ReplayResult &replay, double slackNs)
    {
        Graph rest = graph;
        rest.preds.clear();
        for (std::uint32_t op = 0; op < graph.size(); ++op) {
            const bool isPlaced = followsOnItsDevice(graph, op);
            for (const Edge &edge : graph.predecessors(OpId(op))) {
                const std::int64_t earlyNs
                    = replay.startNs[op] - graph.delayNs[op] - replay.endNs[edge.op.value];
                if (edge.kind != EdgeKind::Launch || !isPlaced
                    || static_cast<double>(earlyNs) < slackNs)
                    rest.preds.push_back(edge);
            }
            rest.predOffset[op + 1] = static_cast<std::uint32_t>(rest.preds.size());
        }
        return rest;
    }

    std::shared_ptr<const Graph> withWork(const Predictor &predictor, const Strategy &environment,
                                          const JobControl &control)
    {
        const MeasuredJob job = predictor.job();
        Rewriting rewriting(job, predictor.base().graph, predictor.models(), environment, control);
        rewriting.applyStage(Stage::Work);
        return rewriting.shared();
    }

    std::shared_ptr<const PredictionBase> smallBase(const Predictor &predictor, const Graph &graph,
                                                    const JobControl &control)
    {
        auto base = std::make_shared<PredictionBase>(predictor.base());
        const ReplayResult replayed = predictor.base().replayed->replay(graph, control);
        const double slackNs = LeastLaunchSlack * static_cast<double>(base->predictedNs);
        const Graph fewer = withoutEarlyLaunches(graph, replayed, slackNs);
        base->graph = std::make_shared<const Graph>(
            contractedGraph(fewer, contract(fewer, gradientBounds(fewer))));
        base->replayed = std::make_shared<const ReplayBase>(base->graph, control);
        base->replay = { base->replayed, &base->replayed->result() };
        return base;
    }

} // namespace

Skeleton::Skeleton(const Predictor &predictor, const Strategy &environment,
                   const JobControl &control)
    : m_environment(environment)
    , m_trace(&predictor.job().trace)
    , m_models(predictor.models())
    , m_base(smallBase(predictor, *withWork(predictor, environment, control), control))
{
    m_models.bucketBase
        = bucketBase({ predictor.job().trace, *m_base->graph, m_base->links }, control);
}

bool Skeleton::answers(const Strategy &strategy) const
{
    for (const Change &given : m_environment.changes)
        if (std::find(strategy.changes.begin(), strategy.changes.end(), given)
            == strategy.changes.end())
            return false;
    const auto isNew = [this](const Change &change) {
        return std::find(m_environment.changes.begin(), m_environment.changes.end(), change)
            == m_environment.changes.end();
    };
    for (const Change &change : strategy.changes)
        if (const ChangeKind *const kind = kindOf(change.key);
            kind == nullptr || (isNew(change) && !kind->worksOnBlocks()))
            return false;
    return std::all_of(changeKinds().begin(), changeKinds().end(), [&](const auto &kind) {
        return !kind->isAsked(strategy) || kind->worksOnBlocks()
            || (kind->stage() == Stage::Work && kind->isAsked(m_environment));
    });
}

std::optional<std::int64_t> Skeleton::iterationNs(const Strategy &strategy,
                                                  const JobControl &control) const
{
    const Rewritten rewritten
        = tryRewritingOfBlocks(*m_trace, m_base->graph, m_base->links, m_models, strategy, control);
    if (rewritten.obstacle)
        return std::nullopt;
    return slowestRankNs(*rewritten.graph, m_base->replayed->replay(*rewritten.graph, control),
                         m_base->iterations);
}

} // namespace core
