#include "core/optimize/skeleton.h"

#include "core/blocks/contraction.h"
#include "core/change/change_list.h"
#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/bucket_base.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/rewriting.h"
#include "core/optimize/folded_ranks.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

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

    bool namesRanks(const Strategy &strategy)
    {
        return std::any_of(strategy.changes.begin(), strategy.changes.end(),
                           [](const Change &change) { return !change.ranks.empty(); });
    }

    /// The predictor's, but of another graph.
    std::shared_ptr<const PredictionBase> baseOf(const Predictor &predictor, Graph graph,
                                                 const JobControl &control)
    {
        auto base = std::make_shared<PredictionBase>(predictor.base());
        base->graph = std::make_shared<const Graph>(std::move(graph));
        base->replayed = std::make_shared<const ReplayBase>(base->graph, control);
        base->replay = { base->replayed, &base->replayed->result() };
        return base;
    }

} // namespace

/// An environment that names ranks makes these unlike the others.
Skeleton::Skeleton(const Predictor &predictor, const Strategy &environment, SkeletonSizes sizes,
                   const JobControl &control)
    : m_predictor(predictor)
    , m_environment(environment)
    , m_sizes(sizes)
    , m_standIns(sizes.foldsRanks && !namesRanks(environment) ? alikeRanks(*predictor.base().graph)
                                                              : std::vector<WorkerId> {})
    , m_blocks(blocksOf(*withWork(predictor, environment, control), control))
{
}

/// With fewer ranks and iterations.
Graph Skeleton::smaller(const Graph &graph, const JobControl &control) const
{
    if (m_standIns.empty())
        return graph;
    std::size_t period = 1;
    for (const std::uint32_t position : graph.positions)
        period = std::max<std::size_t>(period, position + 1);
    const auto few = static_cast<std::int32_t>(period) * SkeletonSizes::FewestIterations;
    const Graph folded = foldedGraph(graph, m_standIns, control);
    return m_sizes.isOfFewIterations && few < graph.iterationCount
        ? firstIterations(folded, few, control)
        : folded;
}

Skeleton::Blocks Skeleton::blocksOf(const Graph &graph, const JobControl &control) const
{
    const PredictionBase &whole = m_predictor.base();
    const double slackNs = LeastLaunchSlack * static_cast<double>(whole.predictedNs);
    Graph fewer = &graph == whole.graph.get()
        ? withoutEarlyLaunches(graph, *whole.replay, slackNs)
        : withoutEarlyLaunches(graph, whole.replayed->replay(graph, control), slackNs);
    fewer = smaller(fewer, control);
    if (m_sizes.hasBlocks)
        fewer = contractedGraph(fewer, contract(fewer, gradientBounds(fewer)));
    Blocks blocks { baseOf(m_predictor, std::move(fewer), control), m_predictor.models() };
    blocks.models.bucketBase
        = bucketBase({ m_predictor.job().trace, *blocks.base->graph, blocks.base->links }, control);
    return blocks;
}

void Skeleton::findModels(const Strategy &strategy, const JobControl &control)
{
    const Size size = sizeFor(strategy);
    if (size == Size::Parts && !m_parts)
        findParts(control);
    if (size == Size::Folded && !m_folded)
        findFolded(control);
}

void Skeleton::findParts(const JobControl &control)
{
    const auto graph = withWork(m_predictor, m_environment, control);
    const GradientStep &step = *usualStep(*graph);
    Strategy apart = m_environment;
    const std::vector<std::size_t> ones(step.parameterBytes.size(), 1);
    apart.set({ std::string(OpFusionKey), bucketCountsText(ones) });
    m_savedNs = savedByJoining(*graph, step, opFusionOf(apart, step), control);
    m_parts = blocksOf(*withWork(m_predictor, apart, control), control);
}

void Skeleton::findFolded(const JobControl &control)
{
    const auto graph = withWork(m_predictor, m_environment, control);
    m_folded
        = Blocks { baseOf(m_predictor, smaller(*graph, control), control), m_predictor.models() };
    const MeasuredJob job { m_predictor.job().trace, *m_folded->base->graph,
                            m_folded->base->links };
    m_folded->models.bucketBase = bucketBase(job, control);
    m_folded->models.tensorBase = tensorBase(job, control);
}

bool Skeleton::asksParts(const Strategy &strategy) const
{
    const auto text = strategy.text(OpFusionKey);
    return text && *text != FuseNone && !m_environment.has(OpFusionKey);
}

bool Skeleton::hasEnvironment(const Strategy &strategy) const
{
    return std::all_of(m_environment.changes.begin(), m_environment.changes.end(),
                       [&strategy](const Change &given) {
                           return std::find(strategy.changes.begin(), strategy.changes.end(), given)
                               != strategy.changes.end();
                       });
}

bool Skeleton::isNew(const Change &change) const
{
    return std::find(m_environment.changes.begin(), m_environment.changes.end(), change)
        == m_environment.changes.end();
}

bool Skeleton::areOfBlocks(const Strategy &strategy) const
{
    return std::all_of(strategy.changes.begin(), strategy.changes.end(),
                       [this](const Change &change) {
                           const ChangeKind *const kind = kindOf(change.key);
                           return kind != nullptr
                               && (!isNew(change)
                                   || (kind->worksOnBlocks()
                                       && (m_standIns.empty() || change.ranks.empty())));
                       })
        && std::all_of(changeKinds().begin(), changeKinds().end(), [&](const auto &kind) {
               return !kind->isAsked(strategy) || kind->worksOnBlocks()
                   || (kind->stage() == Stage::Work && kind->isAsked(m_environment));
           });
}

/// New is how gradients travel alone, on all ranks alike.
bool Skeleton::areOfGradients(const Strategy &strategy) const
{
    return std::all_of(strategy.changes.begin(), strategy.changes.end(),
                       [this](const Change &change) {
                           const ChangeKind *const kind = kindOf(change.key);
                           return kind != nullptr
                               && (!isNew(change)
                                   || (kind->stage() == Stage::Gradients && change.ranks.empty()));
                       })
        && std::none_of(changeKinds().begin(), changeKinds().end(), [&](const auto &kind) {
               return kind->stage() == Stage::Shown && kind->isAsked(strategy);
           });
}

Skeleton::Size Skeleton::sizeFor(const Strategy &strategy) const
{
    if (!hasEnvironment(strategy))
        return Size::None;
    Strategy others = strategy; // but for the compiled parts
    others.remove(asksParts(strategy) ? OpFusionKey : std::string_view());
    if (areOfBlocks(others))
        return !asksParts(strategy)            ? Size::Blocks
            : usualStep(*m_blocks.base->graph) ? Size::Parts
                                               : Size::None;
    return !m_standIns.empty() && areOfGradients(strategy) ? Size::Folded : Size::None;
}

bool Skeleton::answers(const Strategy &strategy) const
{
    return sizeFor(strategy) != Size::None;
}

std::optional<Skeleton::Replayed> Skeleton::replayed(const Strategy &strategy,
                                                     const JobControl &control) const
{
    const Size size = sizeFor(strategy);
    const Blocks &blocks = size == Size::Parts ? m_parts.value()
        : size == Size::Folded                 ? m_folded.value()
                                               : m_blocks;
    Strategy others = strategy;
    if (size == Size::Parts)
        others.remove(OpFusionKey);
    Rewritten rewritten = tryRewritingOfBlocks(m_predictor.job().trace, blocks.base->graph,
                                               blocks.base->links, blocks.models, others, control);
    if (rewritten.obstacle)
        return std::nullopt;
    if (size == Size::Parts) {
        const std::vector<std::size_t> counts
            = opFusionOf(strategy, *usualStep(*rewritten.graph)).counts;
        if (std::accumulate(counts.begin(), counts.end(), std::size_t { 0 }) != m_savedNs.size())
            return std::nullopt;
        Graph joined = *rewritten.graph;
        joinParts(counts, m_savedNs, joined);
        rewritten.graph = std::make_shared<const Graph>(std::move(joined));
    }
    Replayed found { rewritten.graph, blocks.base->replayed->replay(*rewritten.graph, control), 0 };
    found.iterationNs = slowestRankNs(*found.graph, found.result, blocks.base->iterations);
    return found;
}

std::optional<std::int64_t> Skeleton::iterationNs(const Strategy &strategy,
                                                  const JobControl &control) const
{
    const auto found = replayed(strategy, control);
    return found ? std::optional(found->iterationNs) : std::nullopt;
}

} // namespace core
