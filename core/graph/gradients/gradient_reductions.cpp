#include "core/graph/gradients/gradient_reductions.h"

#include "core/model/gradient_names.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace core {

namespace {

    /// By OpId: of a ready op the op that recorded the hand-over of its collective; NoOp of others.
    std::vector<OpId> handOvers(const GraphContext &context)
    {
        std::vector<OpId> ops(context.builder.size(), NoOp);
        for (const auto &edge : context.builder.edges())
            if (edge.kind == EdgeKind::Data)
                ops[edge.to.value] = edge.from;
        return ops;
    }

    /// A loss or a metric is reduced too, but not from within the backward pass's hook.
    class ReductionFinder
    {
    public:
        ReductionFinder(const GraphContext &context, const DeviceLaunches &launches)
            : m_context(context)
            , m_launches(launches)
            , m_handedOverBy(handOvers(context))
            , m_found(context.workers.size())
        {
        }

        /// By worker.
        std::vector<WorkerReductions> find()
        {
            addMatched();
            addAlone();
            return std::move(m_found);
        }

    private:
        bool isOfGradients(OpId ready) const
        {
            const OpId by = m_handedOverBy[ready.value];
            return by == NoOp
                || m_context.trace.nameOf(m_context.builder.op(by).name).ends_with(GradientSuffix);
        }

        void addMatched()
        {
            const auto &collectives = m_context.builder.collectives();
            for (std::size_t i = 0; i < collectives.size(); ++i) {
                if (collectives[i].name != "all_reduce" || !collectives[i].tensor.empty())
                    continue;
                for (std::size_t p = 0; p < collectives[i].parts.size(); ++p)
                    addPart(collectives[i].parts[p],
                            { collectives[i].parts[p].ready, collectives[i].transfer,
                              collectives[i].bytes, i, p });
            }
        }

        void addPart(const CollectiveNode::Part &part, const Reduction &reduction)
        {
            const OpSpec &ready = m_context.builder.op(part.ready);
            WorkerReductions &own = m_found[part.worker.value];
            if (m_context.builder.devices()[ready.device.value].isStream) {
                // An accelerator may still be at it in the host's next iteration.
                if (const auto launchedNs = m_launches.launchedNs(part.ready))
                    own.onDevice[m_context.iterationAt(part.worker, *launchedNs)].push_back(
                        reduction);
            } else if (isOfGradients(part.ready)) {
                own.byHost[ready.iteration].push_back(reduction);
            }
        }

        /// One rank's trace tells as well as all of them what its own host waits for. Not of a
        /// tensor of its own: a slice of a gradient is no bucket.
        void addAlone()
        {
            std::unordered_set<std::uint64_t> ofTensors;
            for (const TensorUse &use : m_context.trace.tensorUses)
                ofTensors.insert(use.slice.value);
            for (const CollectiveCall &call : m_context.trace.collectives) {
                const OpId op = m_context.opOfSlice(call.slice);
                if (call.kind != "all_reduce" || op == NoOp || ofTensors.contains(call.slice.value))
                    continue;
                const OpSpec &spec = m_context.builder.op(op);
                if (spec.kind == OpKind::Communication
                    && m_context.builder.devices()[spec.device.value].isBackend
                    && isOfGradients(op))
                    m_found[spec.worker.value].alone[spec.iteration].push_back(
                        { op, op, call.bytes });
            }
            for (WorkerReductions &own : m_found)
                for (auto &[iteration, calls] : own.alone)
                    std::stable_sort(calls.begin(), calls.end(),
                                     [this](const Reduction &a, const Reduction &b) {
                                         return m_context.builder.op(a.ready).measuredStartNs
                                             < m_context.builder.op(b.ready).measuredStartNs;
                                     });
        }

        const GraphContext &m_context;
        const DeviceLaunches &m_launches;
        std::vector<OpId> m_handedOverBy;
        std::vector<WorkerReductions> m_found;
    };

} // namespace

std::vector<WorkerReductions> findGradientReductions(const GraphContext &context,
                                                     const DeviceLaunches &launches)
{
    return ReductionFinder(context, launches).find();
}

} // namespace core
