#include "core/replay/replay_order.h"

#include "core/base/error.h"
#include "core/replay/complete_result.h"
#include "core/replay/latest_time.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace core {

namespace {

    constexpr std::int64_t NotYet = -1; ///< end of an op that the pass has not come to
    constexpr std::uint32_t OpsPerCheck = 0x10000; ///< between looks whether the job is cancelled

    /// One pass over the ops, each of which begins when its predecessors and the op before it on
    /// its device have ended.
    class OrderedPass
    {
    public:
        explicit OrderedPass(const Graph &graph)
            : m_graph(graph)
            , m_last(graph.devices.size())
        {
            m_result.startNs.resize(graph.size());
            m_result.endNs.assign(graph.size(), NotYet);
            m_result.cause.resize(graph.size());
        }

        void place(OpId op)
        {
            std::int64_t readyNs = 0;
            StartCause cause;
            for (const Edge &edge : m_graph.predecessors(op)) {
                const std::int64_t endNs = m_result.endNs[edge.op.value];
                if (endNs == NotYet)
                    throwNotAnOrder();
                if (endNs >= readyNs) {
                    readyNs = endNs;
                    cause.op = edge.op;
                }
            }
            std::int64_t startNs = laterNs(readyNs, m_graph.delayNs[op.value]);
            if (m_graph.kind[op.value] != OpKind::Virtual) {
                LastOp &last = m_last[m_graph.device[op.value].value];
                if (last.endNs > startNs) {
                    startNs = last.endNs;
                    cause = { last.op, true };
                }
                last = { laterNs(startNs, m_graph.durationNs[op.value]), op };
            }
            m_result.startNs[op.value] = startNs;
            m_result.endNs[op.value] = laterNs(startNs, m_graph.durationNs[op.value]);
            m_result.cause[op.value] = cause;
        }

        /// As place(), of an op that may not be the graph's or may have had its place.
        void placeChecked(OpId op)
        {
            if (op.value >= m_graph.size() || m_result.endNs[op.value] != NotYet)
                throwNotAnOrder();
            place(op);
        }

        ReplayResult take() { return std::move(m_result); }

        [[noreturn]] static void throwNotAnOrder()
        {
            throw Error("The order of a replay must have every op once, after its predecessors.");
        }

    private:
        struct LastOp
        {
            std::int64_t endNs = 0;
            OpId op = NoOp;
        };

        const Graph &m_graph;
        std::vector<LastOp> m_last; ///< by device
        ReplayResult m_result;
    };

} // namespace

bool hasInterference(const Graph &graph)
{
    return graph.slowdown != 1
        && std::any_of(graph.devices.begin(), graph.devices.end(),
                       [](const Device &device) { return !device.slows.empty(); })
        && std::any_of(graph.stretchShare.begin(), graph.stretchShare.end(),
                       [](float share) { return share > 0; });
}

bool servesOneByOne(const Device &device)
{
    switch (device.discipline) {
    case Discipline::Fifo:
        return true;
    case Discipline::Shared:
        return device.capacity <= 1;
    case Discipline::Priority:
        break;
    }
    return device.capacity <= 1 && !device.preempts;
}

bool canReplayInOrder(const Graph &graph)
{
    return !hasInterference(graph)
        && std::all_of(graph.devices.begin(), graph.devices.end(), servesOneByOne);
}

std::vector<OpId> replayOrder(const ReplayResult &result)
{
    std::vector<OpId> order;
    order.reserve(result.startNs.size());
    for (std::uint32_t i = 0; i < result.startNs.size(); ++i)
        order.push_back(OpId(i));
    // An op without duration may begin with one that waits for it.
    std::sort(order.begin(), order.end(), [&](OpId a, OpId b) {
        return std::tie(result.startNs[a.value], result.endNs[a.value], a)
            < std::tie(result.startNs[b.value], result.endNs[b.value], b);
    });
    return order;
}

ReplayResult replayInOrder(const Graph &graph, std::span<const OpId> order,
                           const JobControl &control)
{
    const auto begin = std::chrono::steady_clock::now();
    if (order.size() != graph.size())
        OrderedPass::throwNotAnOrder();
    OrderedPass pass(graph);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % OpsPerCheck == 0)
            throwIfCancelled(control);
        pass.placeChecked(order[i]);
    }
    ReplayResult result = pass.take();
    completeResult(graph, begin, result);
    return result;
}

ReplayResult replayInOrder(const Graph &graph, const JobControl &control)
{
    const auto begin = std::chrono::steady_clock::now();
    OrderedPass pass(graph);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        if (i % OpsPerCheck == 0)
            throwIfCancelled(control);
        pass.place(OpId(i));
    }
    ReplayResult result = pass.take();
    completeResult(graph, begin, result);
    return result;
}

} // namespace core
