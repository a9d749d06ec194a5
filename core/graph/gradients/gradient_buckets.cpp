#include "core/graph/gradients/gradient_buckets.h"

#include "core/base/sentence.h"
#include "core/graph/gradients/gradient_partitions.h"
#include "core/graph/gradients/gradient_reductions.h"
#include "core/model/gradient_names.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>

namespace core {

namespace {

    /// The gradients that are final: those copied into a bucket (gradient accumulation and
    /// re-computation add others before, and embeddings that TorchRec distributes are in none),
    /// else the last ones, as many as are copied out.
    std::vector<GradientSlice> finalGradients(const GradientSlices &found)
    {
        const std::vector<GradientSlice> &all = found.gradients;
        const std::size_t count = found.copies.size();
        std::vector<GradientSlice> copied;
        std::copy_if(all.begin(), all.end(), std::back_inserter(copied),
                     [](const GradientSlice &g) { return g.hasBucketCopy; });
        if (count == 0)
            return copied.empty() ? all : copied;
        if (copied.size() == count || all.size() < count)
            return copied;
        return { all.end() - static_cast<std::ptrdiff_t>(count), all.end() };
    }

    /// Fate of the gradients' sizes that are stated, not recorded.
    struct StatedSizes
    {
        bool areTaken = false;
        std::size_t otherCount = 0; ///< gradients of an iteration that they do not fit; 0: none

        void tell(GraphContext &context) const
        {
            const auto count = std::to_string(context.trace.stated.gradientBytes.size());
            if (otherCount > 0)
                context.builder.addNote("gradient_sizes states " + count + " sizes, but "
                                        + std::to_string(otherCount)
                                        + " gradients become ready in an iteration: not used.");
            else if (areTaken)
                context.builder.addNote("The sizes of the " + count
                                        + " gradients are as stated, not recorded.");
        }
    };

    class StepBuilder
    {
    public:
        /// `launches`: null where the host's backend reduces.
        StepBuilder(GraphContext &context, WorkerId worker, const WorkerReductions &reductions,
                    const DeviceLaunches *launches, StatedSizes &sizes)
            : m_context(context)
            , m_worker(worker)
            , m_reductions(launches ? reductions.onDevice : reductions.byHost)
            , m_alone(reductions.alone)
            , m_launches(launches)
            , m_sizes(sizes)
        {
        }

        /// Why the iteration's gradients and all-reduces do not fit together; empty where they do,
        /// and where nothing is reduced.
        std::string_view add(std::int32_t iteration, const GradientSlices &found)
        {
            const std::vector<Reduction> reductions = reductionsOf(iteration, found);
            if (reductions.empty())
                return {};
            GradientStep step;
            step.worker = m_worker;
            step.iteration = iteration;
            const std::vector<GradientSlice> gradients = finalGradients(found);
            const std::vector<GradientSlice> &sized
                = found.copies.empty() ? gradients : found.copies;
            for (const GradientSlice &slice : sized)
                step.parameterBytes.push_back(slice.bytes);
            takeStatedSizes(step.parameterBytes);
            for (const GradientSlice &gradient : gradients) {
                step.gradients.push_back(gradient.op);
                step.forwards.push_back(gradient.forward);
            }
            for (const GradientSlice &copy : found.copies)
                addCopy(step, copy.op);
            if (step.gradients.size() != step.parameterBytes.size())
                return "more gradients are copied out of buckets than became ready";
            if (!assignBuckets(step, reductions))
                return "an all-reduce has no gradient of its own that was ready when it was handed "
                       "over";
            if (m_sizes.areTaken)
                sizeReductions(step);
            if (m_launches) {
                const std::string_view misfit = addKernels(step, gradients, reductions);
                if (!misfit.empty())
                    return misfit;
            }
            addWaits(step, reductions);
            addLastWait(step, gradients, reductions);
            if (reductions.front().collective != NoCollective)
                m_context.builder.addGradientStep(std::move(step));
            return {};
        }

    private:
        /// Of all-reduces on an accelerator those that gradients' slices launched.
        std::vector<Reduction> reductionsOf(std::int32_t iteration,
                                            const GradientSlices &found) const
        {
            const auto all = m_reductions.find(iteration);
            if (iteration < 0 || all == m_reductions.end())
                return aloneIn(iteration);
            if (!m_launches)
                return all->second;
            std::vector<Reduction> reductions;
            for (const Reduction &reduction : all->second) {
                const std::int64_t ns = readyNsOf(reduction);
                if (std::any_of(
                        found.gradients.begin(), found.gradients.end(),
                        [ns](const GradientSlice &slice) { return slice.range.contains(ns); }))
                    reductions.push_back(reduction);
            }
            std::stable_sort(reductions.begin(), reductions.end(),
                             [this](const Reduction &a, const Reduction &b) {
                                 return readyNsOf(a) < readyNsOf(b);
                             });
            return reductions;
        }

        /// Sizes that meta.json or the user states, where the trace has none.
        void takeStatedSizes(std::vector<std::uint64_t> &sizes)
        {
            const std::vector<std::uint64_t> &stated = m_context.trace.stated.gradientBytes;
            if (stated.empty() || sizes.empty()
                || std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size > 0; }))
                return;
            if (stated.size() != sizes.size()) {
                m_sizes.otherCount = sizes.size();
                return;
            }
            sizes = stated;
            m_sizes.areTaken = true;
        }

        /// Reductions without a recorded size move what their gradients are stated to have.
        void sizeReductions(const GradientStep &step) const
        {
            for (const GradientStep::Bucket &bucket : step.buckets) {
                CollectiveNode &node = m_context.builder.collectives()[bucket.collective];
                const auto first = step.parameterBytes.begin()
                    + static_cast<std::ptrdiff_t>(bucket.firstParameter);
                if (node.bytes == 0)
                    node.bytes = std::accumulate(
                        first, first + static_cast<std::ptrdiff_t>(bucket.parameterCount),
                        std::uint64_t { 0 });
            }
        }

        /// Where no all-reduce of the iteration has recorded partners: the buckets of some cannot
        /// be told from the buckets of the others.
        std::vector<Reduction> aloneIn(std::int32_t iteration) const
        {
            const auto all = m_alone.find(iteration);
            if (m_launches || iteration < 0 || all == m_alone.end())
                return {};
            return all->second;
        }

        void addCopy(GradientStep &step, OpId copy) const
        {
            step.copies.push_back(copy);
            step.copyStarts.push_back(m_launches ? copy
                                                 : m_context.firstOfCopyGroup(m_worker, copy));
        }

        /// Buckets are consecutive in the order of readiness: the reductions' bytes cut the
        /// parameters' list.
        bool assignBuckets(GradientStep &step, const std::vector<Reduction> &reductions) const
        {
            std::size_t next = 0;
            for (const Reduction &reduction : reductions) {
                const std::uint64_t bytes = reduction.bytes;
                std::uint64_t sum = 0;
                const std::size_t first = next;
                while (next < step.parameterBytes.size() && sum < bytes)
                    sum += step.parameterBytes[next++];
                // A compressing hook sends fewer bytes than the parameters have; then sizes say
                // nothing.
                if (sum != bytes || bytes == 0)
                    return assignBucketsByHandOff(step, reductions);
                step.buckets.push_back({ reduction.collective, first, next - first });
            }
            return next == step.parameterBytes.size() || assignBucketsByHandOff(step, reductions);
        }

        /// By time: a bucket ends with the last gradient that was ready when it was handed over.
        bool assignBucketsByHandOff(GradientStep &step,
                                    const std::vector<Reduction> &reductions) const
        {
            step.buckets.clear();
            std::size_t next = 0;
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
                step.buckets.push_back({ reductions[i].collective, first, next - first });
            }
            return true;
        }

        /// The stream that gradients become ready on: where they are copied out; else where the
        /// first of them launches something, or, if it only takes what its kernel wrote, where that
        /// was launched.
        std::optional<DeviceId> streamOf(const GradientStep &step, const GradientSlice &first) const
        {
            const auto onStream = step.copies.empty() ? m_launches->firstIn(m_worker, first.range)
                                                      : std::optional(step.copies.front());
            const auto isWork = [this](OpId op) {
                const OpKind kind = m_context.builder.op(op).kind;
                return kind == OpKind::Compute || kind == OpKind::Memory;
            };
            if (onStream && isWork(*onStream)) // not the bucket's all-reduce
                return m_context.builder.op(*onStream).device;
            return m_launches->streamOfKernelBefore(m_worker, first.handedOverNs);
        }

        /// What buckets would wait for on the accelerator. Returns why that is not known, or that
        /// the measured ones did not; else nothing.
        std::string_view addKernels(GradientStep &step, const std::vector<GradientSlice> &gradients,
                                    const std::vector<Reduction> &reductions) const
        {
            const auto stream = streamOf(step, gradients.front());
            if (!stream)
                return "no kernel is recorded that computes the gradients";
            for (const GradientSlice &gradient : gradients) {
                const auto kernel = m_launches->lastBefore(*stream, gradient.handedOverNs);
                if (!kernel)
                    return "no kernel is recorded that computes the first gradients";
                step.kernels.push_back(*kernel);
            }
            if (!isCopiedAfterwards(step))
                return "a gradient is copied out of its bucket before all are ready";
            const bool isSo
                = std::equal(step.buckets.begin(), step.buckets.end(), reductions.begin(),
                             [&](const GradientStep::Bucket &bucket, const Reduction &reduction) {
                                 return isMeasuredSo(step, bucket, partOf(reduction));
                             });
            return isSo ? std::string_view()
                        : "an all-reduce begins before the last gradient of its bucket is ready, "
                          "or ends after it is copied out";
        }

        /// All gradients are ready before the first one is copied out, whatever the buckets.
        bool isCopiedAfterwards(const GradientStep &step) const
        {
            return step.copies.empty()
                || m_context.measuredEndNs[step.kernels.back().value]
                <= m_context.builder.op(step.copies.front()).measuredStartNs + ClockRoundingNs;
        }

        bool isMeasuredSo(const GradientStep &step, const GradientStep::Bucket &bucket,
                          const CollectiveNode::Part &part) const
        {
            const bool isAfterKernel = m_context.measuredEndNs[lastKernel(step, bucket).value]
                <= part.startNs + ClockRoundingNs;
            return isAfterKernel
                && (step.copies.empty()
                    || part.endNs <= m_context.builder.op(step.copyStarts[bucket.firstParameter])
                                         .measuredStartNs
                            + ClockRoundingNs);
        }

        static OpId lastKernel(const GradientStep &step, const GradientStep::Bucket &bucket)
        {
            return step.kernels[bucket.firstParameter + bucket.parameterCount - 1];
        }

        const CollectiveNode::Part &partOf(const Reduction &reduction) const
        {
            return m_context.builder.collectives()[reduction.collective].parts[reduction.part];
        }

        /// When the host had it handed over.
        std::int64_t readyNsOf(const Reduction &reduction) const
        {
            if (m_launches)
                return m_launches->launchedNs(reduction.ready).value_or(0);
            return m_context.builder.op(reduction.ready).measuredStartNs;
        }

        /// Buckets are in the order of the reductions.
        void addWaits(const GradientStep &step, const std::vector<Reduction> &reductions)
        {
            for (std::size_t i = 0; i < step.buckets.size(); ++i) {
                const GradientStep::Bucket &bucket = step.buckets[i];
                if (!step.kernels.empty())
                    m_context.builder.addEdge(lastKernel(step, bucket), reductions[i].ready,
                                              EdgeKind::Sync);
                if (!step.copies.empty())
                    addCopyWait(reductions[i], step.copyStarts[bucket.firstParameter]);
            }
        }

        /// Gradients that are views of their buckets (gradient_as_bucket_view=True) are copied
        /// nowhere: at the end of the backward pass the stream waits for all buckets
        /// (reducer.cpp, finalize_backward).
        void addLastWait(const GradientStep &step, const std::vector<GradientSlice> &gradients,
                         const std::vector<Reduction> &reductions)
        {
            if (step.kernels.empty() || !step.copies.empty())
                return;
            const DeviceId stream = m_context.builder.op(step.kernels.back()).device;
            const auto next = m_launches->firstFrom(stream, gradients.back().range.endNs);
            if (!next)
                return;
            const std::int64_t startNs = m_context.builder.op(*next).measuredStartNs;
            for (const Reduction &reduction : reductions)
                if (partOf(reduction).endNs <= startNs + ClockRoundingNs)
                    m_context.builder.addEdge(reduction.transfer, *next, EdgeKind::Sync);
        }

        void addCopyWait(const Reduction &reduction, OpId copyStart)
        {
            if (reduction.collective == NoCollective)
                endBy(reduction.transfer, m_context.builder.op(copyStart).measuredStartNs);
            m_context.builder.addEdge(reduction.transfer, copyStart, EdgeKind::Sync);
        }

        /// A backend's thread wakes the waiting host before it writes its call's end, which is late
        /// by milliseconds where the two share a core.
        void endBy(OpId call, std::int64_t ns)
        {
            OpSpec &spec = m_context.builder.op(call);
            const std::int64_t endNs
                = std::clamp(ns, spec.measuredStartNs, m_context.measuredEndNs[call.value]);
            m_context.measuredEndNs[call.value] = endNs;
            spec.durationNs = endNs - spec.measuredStartNs;
        }

        GraphContext &m_context;
        WorkerId m_worker;
        const Reductions &m_reductions;
        const Reductions &m_alone;
        const DeviceLaunches *m_launches;
        StatedSizes &m_sizes;
    };

    bool hasGradients(const Trace &trace)
    {
        return std::any_of(trace.names.begin(), trace.names.end(), [](const std::string &name) {
            return isGradientOp(name) || name.ends_with(CopyOutSuffix);
        });
    }

    /// Iterations of ranks whose gradients and all-reduces do not fit together.
    struct Misfits
    {
        std::size_t count = 0;
        std::string first; ///< "rank 0, iteration 4"
        std::string why; ///< of the first

        void add(const GraphContext &context, WorkerId worker, std::int32_t iteration,
                 std::string_view misfit)
        {
            if (count++ > 0)
                return;
            const auto number = context.workers[worker.value]
                                    .iterationNumbers[static_cast<std::size_t>(iteration)];
            first = "rank " + std::to_string(context.trace.workers[worker.value].rank)
                + ", iteration " + std::to_string(number);
            why = misfit;
        }
        std::string note() const
        {
            return withCapital(first)
                + ": gradients and all-reduces do not fit together as DDP buckets: " + why + "."
                + (count == 1 ? ""
                              : " So it is in " + std::to_string(count) + " iterations of ranks.");
        }
        std::string reason() const
        {
            return why + " (" + first
                + (count == 1 ? ""
                              : "; so it is in " + std::to_string(count) + " iterations of ranks")
                + ")";
        }
    };

} // namespace

void addGradientSteps(GraphContext &context, const JobControl &control)
{
    if (!hasGradients(context.trace))
        return;
    const DeviceLaunches launches(context);
    const std::vector<WorkerReductions> reductions = findGradientReductions(context, launches);
    Misfits misfits;
    StatedSizes sizes;
    for (std::uint32_t w = 0; w < context.workers.size(); ++w) {
        throwIfCancelled(control);
        const WorkerReductions &own = reductions[w];
        const DeviceLaunches *onDevice = own.onDevice.empty() ? nullptr : &launches;
        StepBuilder steps(context, WorkerId(w), own, onDevice, sizes);
        for (const auto &[iteration, slices] : findGradientSlices(context, WorkerId(w), onDevice)) {
            const std::string_view misfit = steps.add(iteration, slices);
            if (!misfit.empty())
                misfits.add(context, WorkerId(w), iteration, misfit);
        }
    }
    sizes.tell(context);
    if (misfits.count == 0)
        return;
    context.builder.addNote(misfits.note());
    context.builder.setGradientMisfit(misfits.reason());
}

} // namespace core
