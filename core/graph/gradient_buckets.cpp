#include "core/graph/gradient_buckets.h"

#include "core/graph/forward_ops.h"
#include "core/model/gradient_names.h"

#include <algorithm>
#include <map>

namespace core {

namespace {

    /// One gradient-related slice of a worker, in order of time.
    struct GradientSlice
    {
        std::int64_t startNs; ///< raw
        OpId op;
        std::uint64_t bytes;
        OpId forward; ///< see GradientStep::forwards
        bool hasBucketCopy; ///< holds the copy into the bucket (aten::mul): not a mere accumulation
    };

    /// What one iteration of the worker shows.
    struct Found
    {
        std::vector<GradientSlice> gradients, copies;
    };

    class Finder
    {
    public:
        Finder(GraphContext &context, WorkerId worker)
            : m_context(context)
            , m_worker(worker)
            , m_forwardOps(context, worker)
        {
        }

        std::map<std::int32_t, Found> find()
        {
            for (const Track &track : m_context.trace.tracks)
                if (track.worker == m_worker && track.kind == TrackKind::HostThread)
                    findOn(track);
            return std::move(m_found);
        }

    private:
        void findOn(const Track &track)
        {
            const SliceColumns &slices = m_context.trace.slices[track.id.value];
            for (std::size_t row = 0; row < slices.size(); ++row) {
                const std::string_view name = m_context.trace.nameOf(slices.name[row]);
                const bool isGradient = isGradientOp(name);
                if (!isGradient && !name.ends_with(CopyOutSuffix))
                    continue;
                const auto op = m_context.opOfSlice.find(m_context.sliceId(track.id, row).value);
                if (op == m_context.opOfSlice.end())
                    continue;
                const std::int32_t iteration = m_context.builder.op(op->second).iteration;
                GradientSlice found { slices.startNs[row], op->second, slices.bytes[row], NoOp,
                                      false };
                if (isGradient) {
                    look(slices, row, found);
                    const auto forward = m_forwardOps.of(track, row);
                    // A graph that is kept may run backward later: then it is no use of this one.
                    if (forward && m_context.builder.op(*forward).iteration == iteration)
                        found.forward = *forward;
                    m_found[iteration].gradients.push_back(found);
                } else {
                    m_found[iteration].copies.push_back(found);
                }
            }
        }

        /// Inside an AccumulateGrad: the parameter's size, and whether it is copied into a bucket.
        void look(const SliceColumns &slices, std::size_t row, GradientSlice &found) const
        {
            for (std::size_t inner = row + 1;
                 inner < slices.size() && slices.startNs[inner] < slices.endNs(row); ++inner) {
                const std::string_view name = m_context.trace.nameOf(slices.name[inner]);
                if (name == "torch::autograd::AccumulateGrad")
                    found.bytes = std::max(found.bytes, slices.bytes[inner]);
                else if (name == "aten::mul")
                    found.hasBucketCopy = true;
            }
        }

        GraphContext &m_context;
        WorkerId m_worker;
        ForwardOps m_forwardOps;
        std::map<std::int32_t, Found> m_found;
    };

    /// The gradients that are final: those copied into a bucket (gradient accumulation and
    /// re-computation add others before), else the last `count` ones.
    std::vector<GradientSlice> finalGradients(const std::vector<GradientSlice> &all,
                                              std::size_t count)
    {
        std::vector<GradientSlice> copied;
        std::copy_if(all.begin(), all.end(), std::back_inserter(copied),
                     [](const GradientSlice &g) { return g.hasBucketCopy; });
        if (copied.size() == count || all.size() < count)
            return copied;
        return { all.end() - static_cast<std::ptrdiff_t>(count), all.end() };
    }

    /// Ready op -> the op that recorded the hand-over of its collective.
    std::unordered_map<std::uint32_t, OpId> handOvers(const GraphContext &context)
    {
        std::unordered_map<std::uint32_t, OpId> ops;
        for (const auto &edge : context.builder.edges())
            if (edge.kind == EdgeKind::Data)
                ops[edge.to.value] = edge.from;
        return ops;
    }

    /// A worker's iteration -> its collectives that reduce gradients, in order.
    using Reductions = std::map<std::int32_t, std::vector<std::size_t>>;

    /// By worker. A loss or a metric is reduced too, but not from within the backward pass's hook.
    std::vector<Reductions> gradientReductions(const GraphContext &context)
    {
        const std::unordered_map<std::uint32_t, OpId> handedOverBy = handOvers(context);
        const auto isOfGradients = [&](OpId ready) {
            const auto by = handedOverBy.find(ready.value);
            return by == handedOverBy.end()
                || context.trace.nameOf(context.builder.op(by->second).name)
                       .ends_with(GradientSuffix);
        };
        std::vector<Reductions> reductions(context.workers.size());
        const auto &collectives = context.builder.collectives();
        for (std::size_t i = 0; i < collectives.size(); ++i) {
            if (collectives[i].name != "all_reduce" || !collectives[i].tensor.empty())
                continue;
            for (const CollectiveNode::Part &part : collectives[i].parts)
                if (isOfGradients(part.ready))
                    reductions[part.worker.value][context.builder.op(part.ready).iteration]
                        .push_back(i);
        }
        return reductions;
    }

    class StepBuilder
    {
    public:
        StepBuilder(GraphContext &context, WorkerId worker, const Reductions &reductions)
            : m_context(context)
            , m_worker(worker)
            , m_reductions(reductions)
        {
        }

        void add(std::int32_t iteration, const Found &found)
        {
            if (iteration < 0 || !m_reductions.contains(iteration))
                return;
            GradientStep step;
            step.worker = m_worker;
            step.iteration = iteration;
            const std::vector<GradientSlice> &sized
                = found.copies.empty() ? found.gradients : found.copies;
            const std::vector<GradientSlice> gradients
                = finalGradients(found.gradients, sized.size());
            for (std::size_t i = 0; i < sized.size(); ++i)
                step.parameterBytes.push_back(sized[i].bytes);
            for (const GradientSlice &gradient : gradients) {
                step.gradients.push_back(gradient.op);
                step.forwards.push_back(gradient.forward);
            }
            for (const GradientSlice &copy : found.copies)
                addCopy(step, copy.op);
            if (step.gradients.size() != step.parameterBytes.size() || !assignBuckets(step)) {
                m_context.builder.addNote(
                    "Rank " + std::to_string(m_context.trace.workers[m_worker.value].rank)
                    + ", iteration " + std::to_string(iteration)
                    + ": gradients and all-reduces do not fit together as DDP buckets.");
                return;
            }
            addWaits(step);
            m_context.builder.addGradientStep(std::move(step));
        }

    private:
        void addCopy(GradientStep &step, OpId copy) const
        {
            step.copies.push_back(copy);
            step.copyStarts.push_back(m_context.firstOfCopyGroup(m_worker, copy));
        }

        /// Buckets are consecutive in the order of readiness: the reductions' bytes cut the
        /// parameters' list.
        bool assignBuckets(GradientStep &step)
        {
            std::size_t next = 0;
            for (const std::size_t index : m_reductions.at(step.iteration)) {
                const std::uint64_t bytes = m_context.builder.collectives()[index].bytes;
                std::uint64_t sum = 0;
                const std::size_t first = next;
                while (next < step.parameterBytes.size() && sum < bytes)
                    sum += step.parameterBytes[next++];
                // A compressing hook sends fewer bytes than the parameters have; then sizes say
                // nothing.
                if (sum != bytes || bytes == 0)
                    return assignBucketsByHandOff(step);
                step.buckets.push_back({ index, first, next - first });
            }
            return next == step.parameterBytes.size() || assignBucketsByHandOff(step);
        }

        /// By time: a bucket ends with the last gradient that was ready when it was handed over.
        bool assignBucketsByHandOff(GradientStep &step)
        {
            step.buckets.clear();
            std::size_t next = 0;
            const auto &reductions = m_reductions.at(step.iteration);
            for (std::size_t i = 0; i < reductions.size(); ++i) {
                const std::size_t first = next;
                const std::int64_t readyNs = readyNsOf(reductions[i]);
                const bool isLast = i + 1 == reductions.size();
                while (
                    next < step.gradients.size()
                    && (isLast
                        || m_context.builder.op(step.gradients[next]).measuredStartNs <= readyNs))
                    ++next;
                if (next == first)
                    return false;
                step.buckets.push_back({ reductions[i], first, next - first });
            }
            return true;
        }

        std::int64_t readyNsOf(std::size_t collective) const
        {
            for (const CollectiveNode::Part &part :
                 m_context.builder.collectives()[collective].parts)
                if (part.worker == m_worker)
                    return m_context.builder.op(part.ready).measuredStartNs;
            return 0;
        }

        void addWaits(const GradientStep &step)
        {
            if (step.copies.empty())
                return;
            for (const GradientStep::Bucket &bucket : step.buckets)
                m_context.builder.addEdge(
                    m_context.builder.collectives()[bucket.collective].transfer,
                    step.copyStarts[bucket.firstParameter], EdgeKind::Sync);
        }

        GraphContext &m_context;
        WorkerId m_worker;
        const Reductions &m_reductions;
    };

} // namespace

void addGradientSteps(GraphContext &context, const JobControl &control)
{
    const std::vector<Reductions> reductions = gradientReductions(context);
    for (std::uint32_t w = 0; w < context.workers.size(); ++w) {
        throwIfCancelled(control);
        StepBuilder steps(context, WorkerId(w), reductions[w]);
        for (const auto &[iteration, found] : Finder(context, WorkerId(w)).find())
            steps.add(iteration, found);
    }
}

} // namespace core
