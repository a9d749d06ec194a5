#include "core/analyze/critical_path_report.h"

#include <algorithm>

namespace core {

namespace {

    enum class Part { Compute, Communication, Host, Wait, Idle };

    const char *partName(Part part)
    {
        switch (part) {
        case Part::Compute:
            return "compute";
        case Part::Communication:
            return "comm";
        case Part::Host:
            return "host";
        case Part::Wait:
            return "wait";
        case Part::Idle:
            break;
        }
        return "idle";
    }

    class Attribution
    {
    public:
        Attribution(const Trace &trace, const ScenarioResult &replayed)
            : m_trace(trace)
            , m_graph(*replayed.graph)
            , m_replay(*replayed.replay)
            , m_originNs(replayed.timeOriginNs)
            , m_isAccelerated(acceleratedWorkers(m_graph))
            , m_hasHost(workersWithHost(m_graph))
        {
            for (const CollectiveNode &node : m_graph.collectives)
                m_lastRank.emplace_back(node.transfer, lastWorker(node));
            std::sort(m_lastRank.begin(), m_lastRank.end());
        }

        CriticalPathReport of(const std::vector<OpId> &path)
        {
            if (path.empty())
                return {};
            std::int64_t cursorNs = iterationBeginNs(path.back());
            OpId previous = NoOp;
            for (const OpId op : path) {
                const std::int64_t startNs = std::max(cursorNs, m_replay.startNs[op.value]);
                const std::int64_t endNs = std::max(startNs, m_replay.endNs[op.value]);
                add(gapPart(previous, op), startNs - cursorNs);
                add(opPart(op), endNs - startNs);
                if (endNs > startNs)
                    list(op, startNs, endNs);
                cursorNs = endNs;
                previous = op;
            }
            return std::move(m_report);
        }

    private:
        static WorkerId lastWorker(const CollectiveNode &node)
        {
            const auto last = std::max_element(
                node.parts.begin(), node.parts.end(),
                [](const auto &a, const auto &b) { return a.startNs < b.startNs; });
            return last == node.parts.end() ? WorkerId() : last->worker;
        }

        /// The path ends with an iteration's end; its begin is the end of the one before.
        std::int64_t iterationBeginNs(OpId last) const
        {
            const auto at
                = std::find(m_graph.iterationEnds.begin(), m_graph.iterationEnds.end(), last);
            if (at == m_graph.iterationEnds.end())
                return 0;
            const auto index = static_cast<std::size_t>(at - m_graph.iterationEnds.begin());
            const auto count = static_cast<std::size_t>(m_graph.iterationCount);
            return index % count == 0 ? m_replay.endNs[m_graph.iterationBegins[index / count].value]
                                      : m_replay.iterationEndNs[index - 1];
        }

        const Device &device(OpId op) const
        {
            return m_graph.devices[m_graph.device[op.value].value];
        }
        bool isHostOp(OpId op) const
        {
            return !device(op).isLink && !device(op).isStream
                && m_isAccelerated[m_graph.worker[op.value].value];
        }

        Part opPart(OpId op) const
        {
            switch (m_graph.kind[op.value]) {
            case OpKind::Communication:
                return Part::Communication;
            case OpKind::Compute:
                return isHostOp(op) ? Part::Host : Part::Compute;
            case OpKind::Memory:
                return Part::Compute;
            case OpKind::Host:
                return Part::Host;
            case OpKind::Virtual:
                break;
            }
            return Part::Wait;
        }

        Part gapPart(OpId previous, OpId op) const
        {
            if (!m_hasHost[m_graph.worker[op.value].value])
                return Part::Idle;
            if (previous != NoOp && m_graph.kind[previous.value] == OpKind::Communication)
                return Part::Wait;
            if (device(op).isLink || m_graph.kind[op.value] == OpKind::Communication)
                return Part::Wait;
            if (!device(op).isStream)
                return Part::Host;
            const bool isLaunched = previous != NoOp && !device(previous).isStream;
            return isLaunched ? Part::Host : Part::Idle;
        }

        void add(Part part, std::int64_t ns)
        {
            switch (part) {
            case Part::Compute:
                m_report.computeNs += ns;
                break;
            case Part::Communication:
                m_report.commNs += ns;
                break;
            case Part::Host:
                m_report.hostNs += ns;
                break;
            case Part::Wait:
                m_report.waitNs += ns;
                break;
            case Part::Idle:
                m_report.idleNs += ns;
                break;
            }
        }

        int rankOf(OpId op) const
        {
            WorkerId worker = m_graph.worker[op.value];
            const auto last = std::lower_bound(
                m_lastRank.begin(), m_lastRank.end(), op,
                [](const auto &entry, OpId wanted) { return entry.first < wanted; });
            if (last != m_lastRank.end() && last->first == op)
                worker = last->second;
            return m_trace.workers[worker.value].rank;
        }

        void list(OpId op, std::int64_t startNs, std::int64_t endNs)
        {
            CriticalOp entry;
            entry.name = m_graph.names[m_graph.name[op.value].value];
            entry.rank = rankOf(op);
            entry.device = device(op).name;
            entry.startNs = m_originNs + startNs;
            entry.durationNs = endNs - startNs;
            entry.kind = partName(opPart(op));
            entry.slice = m_graph.slice[op.value];
            if (!m_report.ops.empty()) {
                CriticalOp &before = m_report.ops.back();
                if (before.name == entry.name && before.rank == entry.rank
                    && before.device == entry.device && before.kind == entry.kind) {
                    before.durationNs = entry.startNs + entry.durationNs - before.startNs;
                    return;
                }
            }
            m_report.ops.push_back(std::move(entry));
        }

        const Trace &m_trace;
        const Graph &m_graph;
        const ReplayResult &m_replay;
        std::int64_t m_originNs;
        std::vector<bool> m_isAccelerated, m_hasHost;
        std::vector<std::pair<OpId, WorkerId>> m_lastRank; ///< transfer -> who came last, sorted
        CriticalPathReport m_report;
    };

} // namespace

CriticalPathReport criticalPathReport(const Trace &trace, const ScenarioResult &replayed)
{
    return Attribution(trace, replayed).of(replayed.criticalPath);
}

} // namespace core
