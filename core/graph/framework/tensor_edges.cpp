#include "core/graph/framework/tensor_edges.h"

#include "core/graph/collectives/communication_order.h"

#include <algorithm>
#include <map>

namespace core {

namespace {

    class TensorLinker
    {
    public:
        TensorLinker(GraphContext &context, const TensorOps &tensorOps)
            : m_context(context)
            , m_tensorOps(tensorOps)
        {
        }

        void addArrivals(const std::vector<Exchange> &exchanges)
        {
            for (const Exchange &exchange : exchanges) {
                if (exchange.tensor.empty())
                    continue;
                for (std::size_t i = exchange.isMessage ? 1 : 0; i < exchange.parts.size(); ++i) {
                    const OpId ready = m_context.opOfSlice(exchange.parts[i].slice);
                    m_arrivals[{ exchange.parts[i].worker, exchange.tensor }].push_back(
                        { m_context.measuredEndNs[ready.value], m_context.completion(ready) });
                }
            }
            for (auto &[place, arrivals] : m_arrivals)
                std::stable_sort(
                    arrivals.begin(), arrivals.end(),
                    [](const DoneOp &a, const DoneOp &b) { return a.doneNs < b.doneNs; });
        }

        void linkUpdates()
        {
            for (const auto &[place, arrivals] : m_arrivals) {
                auto next = arrivals.begin();
                for (const OpId op : m_tensorOps.of(place.first, place.second)) {
                    const std::int64_t startNs = m_context.builder.op(op).measuredStartNs;
                    for (; next != arrivals.end() && next->doneNs <= startNs + ClockRoundingNs;
                         ++next)
                        m_context.builder.addEdge(next->op, op, EdgeKind::Data);
                }
            }
        }

        void linkWaits(WorkerId worker)
        {
            const std::vector<DoneOp> communication = doneOps(m_context, worker, false);
            for (const std::vector<OpId> &thread : m_context.workers[worker.value].threads)
                for (const OpId op : thread) {
                    const std::string_view name
                        = m_context.trace.nameOf(m_context.builder.op(op).name);
                    if (isWaitingName(name))
                        linkWait(op, awaitedName(name), communication);
                }
        }

    private:
        void linkWait(OpId op, std::string_view awaited, const std::vector<DoneOp> &communication)
        {
            const WorkerId worker = m_context.builder.op(op).worker;
            const std::int64_t endNs = m_context.measuredEndNs[op.value];
            const std::int64_t startNs = m_context.builder.op(op).measuredStartNs;
            // What is on its own thread came before it; elsewhere it may begin while this waits.
            const std::optional<OpId> own = m_tensorOps.lastBy(worker, awaited, endNs, endNs);
            const bool isAfter = own
                && m_context.builder.op(*own).device == m_context.builder.op(op).device
                && m_context.builder.op(*own).measuredStartNs >= startNs;
            std::optional<OpId> reason = isAfter ? std::nullopt : own;
            if (!reason) {
                const auto arrivals = m_arrivals.find({ worker, awaited });
                reason = lastDone(arrivals == m_arrivals.end() ? communication : arrivals->second,
                                  endNs);
            }
            if (!reason)
                return;
            m_context.builder.addEdge(*reason, op, EdgeKind::Sync);
            OpSpec &spec = m_context.builder.op(op);
            const std::int64_t doneNs = m_context.measuredEndNs[reason->value];
            spec.measuredStartNs = std::clamp(doneNs, spec.measuredStartNs, endNs);
            spec.durationNs = endNs - spec.measuredStartNs;
        }

        std::optional<OpId> lastDone(const std::vector<DoneOp> &done, std::int64_t ns) const
        {
            const auto next
                = std::partition_point(done.begin(), done.end(), [ns](const DoneOp &entry) {
                      return entry.doneNs <= ns + ClockRoundingNs;
                  });
            if (next == done.begin())
                return std::nullopt;
            return m_context.completion((next - 1)->op);
        }

        GraphContext &m_context;
        const TensorOps &m_tensorOps;
        /// What carried a tensor to a worker, by when it had come.
        std::map<std::pair<WorkerId, std::string_view>, std::vector<DoneOp>> m_arrivals;
    };

} // namespace

void addTensorEdges(GraphContext &context, const std::vector<Exchange> &exchanges,
                    const TensorOps &tensorOps)
{
    TensorLinker linker(context, tensorOps);
    linker.addArrivals(exchanges);
    linker.linkUpdates();
    for (std::uint32_t w = 0; w < context.workers.size(); ++w)
        linker.linkWaits(WorkerId(w));
}

} // namespace core
