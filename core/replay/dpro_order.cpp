#include "core/replay/dpro_order.h"

#include "core/base/error.h"
#include "core/replay/complete_result.h"
#include "core/replay/latest_time.h"
#include "core/replay/replay_order.h"
#include "core/replay/successors.h"
#include "core/replay/waiting_ops.h"

#include <queue>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

namespace core {

namespace {

    constexpr std::size_t DproOpsPerCheck = 0x10000; ///< between looks whether the job is cancelled

    /// An op's place in its device's queue by what it does.
    std::int32_t dproCategory(const Graph &graph, std::uint32_t op)
    {
        constexpr std::int32_t Forward = 0, Backward = 2, Update = 3, Other = 100;
        if (graph.kind[op] == OpKind::Communication)
            return Other;
        switch (graph.phase[op]) {
        case Phase::Forward:
            return Forward;
        case Phase::Backward:
            return Backward;
        case Phase::Optimizer:
            return Update;
        case Phase::None:
        case Phase::Input:
            break;
        }
        return Other;
    }

    class DproReplay
    {
    public:
        explicit DproReplay(const Graph &graph)
            : m_graph(graph)
            , m_successors(graph)
            , m_missing(graph.size())
            , m_readyNs(graph.size(), 0)
            , m_devices(graph.devices.size())
        {
            m_result.startNs.resize(graph.size());
            m_result.endNs.resize(graph.size());
            m_result.cause.resize(graph.size());
        }

        ReplayResult run(const JobControl &control)
        {
            std::vector<std::uint32_t> sources;
            for (std::uint32_t op = 0; op < m_graph.size(); ++op) {
                m_missing[op] = static_cast<std::uint32_t>(m_graph.predecessors(OpId(op)).size());
                if (m_missing[op] == 0)
                    sources.push_back(op);
            }
            for (const std::uint32_t op : sources)
                becomeReady(op);
            for (std::size_t turn = 0; !m_next.empty(); ++turn) {
                if (turn % DproOpsPerCheck == 0)
                    throwIfCancelled(control);
                const std::uint32_t device = m_next.top().second;
                m_next.pop();
                serveFirst(device);
            }
            checkAllDone();
            return std::move(m_result);
        }

    private:
        struct DeviceState
        {
            WaitingOps waiting;
            std::int64_t clockNs = 0;
            OpId last = NoOp; ///< that it served
        };

        /// Virtual ops release others at once; a stack, since chains of them may be long.
        void becomeReady(std::uint32_t first)
        {
            std::vector<std::uint32_t> ready { first };
            while (!ready.empty()) {
                const std::uint32_t op = ready.back();
                ready.pop_back();
                m_readyNs[op] = laterNs(m_readyNs[op], m_graph.delayNs[op]);
                if (m_graph.kind[op] == OpKind::Virtual) {
                    finish(op, m_readyNs[op], ready);
                    continue;
                }
                const std::uint32_t device = m_graph.device[op].value;
                DeviceState &state = m_devices[device];
                if (state.waiting.isEmpty())
                    m_next.push({ state.clockNs, device });
                state.waiting.push({ dproCategory(m_graph, op), op, m_readyNs[op] });
            }
        }

        void serveFirst(std::uint32_t device)
        {
            DeviceState &state = m_devices[device];
            const std::uint32_t op = state.waiting.front().op;
            state.waiting.pop();
            const std::int64_t startNs = std::max(m_readyNs[op], state.clockNs);
            if (startNs > m_readyNs[op])
                m_result.cause[op] = { state.last, true };
            std::vector<std::uint32_t> released;
            finish(op, startNs, released);
            state.clockNs = m_result.endNs[op];
            state.last = OpId(op);
            if (!state.waiting.isEmpty())
                m_next.push({ state.clockNs, device });
            for (const std::uint32_t next : released)
                becomeReady(next);
        }

        /// Of what is served beside others elsewhere: as long as the link at its other end makes
        /// it.
        std::int64_t servedNs(std::uint32_t op) const
        {
            const std::int64_t ns = m_graph.durationNs[op];
            const auto limit = static_cast<double>(m_graph.rateLimitOf(OpId(op)));
            if (limit <= 0 || m_graph.kind[op] == OpKind::Virtual
                || servesOneByOne(m_graph.devices[m_graph.device[op].value]))
                return ns;
            return static_cast<std::int64_t>(std::min(std::round(static_cast<double>(ns) / limit),
                                                      static_cast<double>(LatestNs)));
        }

        void finish(std::uint32_t op, std::int64_t startNs, std::vector<std::uint32_t> &released)
        {
            m_result.startNs[op] = startNs;
            m_result.endNs[op] = laterNs(startNs, servedNs(op));
            ++m_done;
            for (const std::uint32_t next : m_successors.of(op)) {
                if (m_result.endNs[op] >= m_readyNs[next]) {
                    m_readyNs[next] = m_result.endNs[op];
                    m_result.cause[next] = { OpId(op), false };
                }
                if (--m_missing[next] == 0)
                    released.push_back(next);
            }
        }

        void checkAllDone() const
        {
            if (m_done == m_graph.size())
                return;
            const auto stuck = std::find_if(m_missing.begin(), m_missing.end(),
                                            [](std::uint32_t missing) { return missing > 0; });
            const auto op = static_cast<std::size_t>(stuck - m_missing.begin());
            throw Error("Replay stopped: '" + m_graph.names[m_graph.name[op].value]
                        + "' waits for itself (cycle).");
        }

        using DeviceClock = std::pair<std::int64_t, std::uint32_t>; ///< clock, device

        const Graph &m_graph;
        Successors m_successors;
        std::vector<std::uint32_t> m_missing; ///< by op; predecessors not yet done
        std::vector<std::int64_t> m_readyNs; ///< by op
        std::vector<DeviceState> m_devices;
        /// Devices that have ops waiting, each once.
        std::priority_queue<DeviceClock, std::vector<DeviceClock>, std::greater<>> m_next;
        std::size_t m_done = 0;
        ReplayResult m_result;
    };

} // namespace

ReplayResult replayInDproOrder(const Graph &graph, const JobControl &control)
{
    const auto begin = std::chrono::steady_clock::now();
    ReplayResult result = DproReplay(graph).run(control);
    completeResult(graph, begin, result);
    return result;
}

} // namespace core
