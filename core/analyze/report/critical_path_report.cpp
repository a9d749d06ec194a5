#include "core/analyze/report/critical_path_report.h"

#include "core/analyze/report/communication_stages.h"
#include "core/analyze/report/critical_path_entries.h"
#include "core/change/graph_edits.h"
#include "core/fit/links/link_models.h"
#include "core/measure/typical_iteration.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace core {

namespace {

    constexpr std::string_view NegotiationPrefix = "NEGOTIATE_";

    /// A stage in which a tensor waits for its turn, or for other ranks.
    bool isWaiting(std::string_view stage)
    {
        return stage.find("QUEUE") != std::string_view::npos
            || stage.find("WAIT") != std::string_view::npos || stage.starts_with(NegotiationPrefix);
    }

    class Attribution
    {
    public:
        Attribution(const Trace &trace, const Prediction &replayed)
            : m_trace(trace)
            , m_graph(*replayed.graph)
            , m_replay(*replayed.replay)
            , m_originNs(replayed.timeOriginNs)
            , m_isAccelerated(acceleratedWorkers(m_graph))
            , m_hasHost(workersWithHost(m_graph))
            , m_isLaunching(m_graph.size(), false)
            , m_stages(trace)
        {
            for (std::size_t i = 0; i < m_graph.collectives.size(); ++i)
                m_collectiveOf.emplace_back(m_graph.collectives[i].transfer, i);
            std::sort(m_collectiveOf.begin(), m_collectiveOf.end());
            for (std::size_t i = 0; i < m_graph.iterationEnds.size(); ++i)
                m_indexOfEnd.try_emplace(m_graph.iterationEnds[i].value, i);
            for (std::uint32_t op = 0; op < m_graph.size(); ++op)
                for (const Edge &edge : m_graph.predecessors(OpId(op)))
                    if (edge.kind == EdgeKind::Launch)
                        m_isLaunching[edge.op.value] = true;
        }

        /// Lists gaps between ops, too, and where to see a transfer.
        void listAll() { m_isListingAll = true; }

        CriticalPathReport of(const std::vector<OpId> &path, bool isListing)
        {
            if (path.empty())
                return {};
            m_entries = CriticalPathEntries(isListing);
            std::int64_t cursorNs = iterationBeginNs(path.back());
            OpId previous = NoOp;
            for (const OpId op : path) {
                const std::int64_t startNs = std::max(cursorNs, m_replay.startNs[op.value]);
                const std::int64_t endNs = std::max(startNs, m_replay.endNs[op.value]);
                addGap(previous, op, { cursorNs, startNs });
                addOp(op, { startNs, endNs });
                cursorNs = endNs;
                previous = op;
            }
            return m_entries.finish();
        }

    private:
        static const CollectiveNode::Part *lastPart(const CollectiveNode &node)
        {
            const auto last = std::max_element(
                node.parts.begin(), node.parts.end(),
                [](const auto &a, const auto &b) { return a.startNs < b.startNs; });
            return last == node.parts.end() ? nullptr : &*last;
        }
        static WorkerId lastWorker(const CollectiveNode &node)
        {
            const CollectiveNode::Part *last = lastPart(node);
            return last == nullptr ? WorkerId() : last->worker;
        }
        static SliceId lastSlice(const CollectiveNode &node)
        {
            const CollectiveNode::Part *last = lastPart(node);
            return last == nullptr ? NoSlice : last->slice;
        }

        /// The path ends with an iteration's end; its begin is the end of the one before.
        std::int64_t iterationBeginNs(OpId last) const
        {
            const auto at = m_indexOfEnd.find(last.value);
            if (at == m_indexOfEnd.end())
                return 0;
            const std::size_t index = at->second;
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

        bool isInput(OpId op) const { return m_graph.phase[op.value] == Phase::Input; }

        PathPart opPart(OpId op) const
        {
            const OpKind kind = m_graph.kind[op.value];
            if (isInput(op) && kind != OpKind::Communication && kind != OpKind::Virtual)
                return PathPart::Input;
            switch (kind) {
            case OpKind::Communication:
                return PathPart::Communication;
            case OpKind::Compute:
                return isHostOp(op) ? PathPart::Host : PathPart::Compute;
            case OpKind::Memory:
                return device(op).isStream ? PathPart::Copy : PathPart::Compute;
            case OpKind::Host:
                return m_isLaunching[op.value] ? PathPart::Launch : PathPart::Host;
            case OpKind::Virtual:
                break;
            }
            return PathPart::Wait;
        }

        PathPart gapPart(OpId previous, OpId op) const
        {
            if (!m_hasHost[m_graph.worker[op.value].value])
                return PathPart::Idle;
            if (previous != NoOp && m_graph.kind[previous.value] == OpKind::Communication)
                return PathPart::Wait;
            if (device(op).isLink || m_graph.kind[op.value] == OpKind::Communication)
                return PathPart::Wait;
            // What passes between the ops that load input is loading, too: see withScaledPhase().
            if (!device(op).isStream)
                return isInput(op) && hasOnlyHostOrder(m_graph, op) ? PathPart::Input
                                                                    : PathPart::Host;
            const bool isLaunched = previous != NoOp && !device(previous).isStream;
            return isLaunched ? PathPart::Launch : PathPart::Idle;
        }

        /// Null for ops that are no transfer of a collective.
        const CollectiveNode *collectiveOf(OpId op) const
        {
            const auto found = std::lower_bound(
                m_collectiveOf.begin(), m_collectiveOf.end(), op,
                [](const auto &entry, OpId wanted) { return entry.first < wanted; });
            return found != m_collectiveOf.end() && found->first == op
                ? &m_graph.collectives[found->second]
                : nullptr;
        }

        int rankOf(OpId op) const
        {
            const CollectiveNode *node = collectiveOf(op);
            const WorkerId worker = node ? lastWorker(*node) : m_graph.worker[op.value];
            return m_trace.workers[worker.value].rank;
        }

        /// The time before an op; of a call that is handed over and waits, by its stages.
        void addGap(OpId previous, OpId op, const TimeRange &replayed)
        {
            const PathPart part = gapPart(previous, op);
            const SliceId slice = m_graph.slice[op.value];
            const std::int64_t startNs = m_graph.measuredStartNs[op.value];
            std::vector<StagePiece> pieces;
            if (part == PathPart::Idle && slice != NoSlice && !replayed.isEmpty())
                pieces = m_stages.within({ &slice, 1 },
                                         { startNs - m_graph.delayNs[op.value], startNs });
            // Others that are ready negotiate while this one is not: that tells nothing of it.
            if (m_graph.kind[op.value] == OpKind::Virtual)
                for (StagePiece &piece : pieces)
                    if (piece.stage.starts_with(NegotiationPrefix))
                        piece.stage.clear();
            visitPieces(pieces, replayed, [&](const StagePiece &piece, const TimeRange &range) {
                const PathPart of = isWaiting(piece.stage) ? PathPart::Wait : part;
                m_entries.add(of, range.durationNs());
                if (of == PathPart::Idle && piece.stage.empty())
                    m_entries.addUnrecorded(range.durationNs());
                if (!piece.stage.empty())
                    listStage(op, piece, of, range);
                else
                    listGap(previous, op, of, range);
            });
            if (!pieces.empty())
                return;
            listGap(previous, op, part, replayed);
            m_entries.add(part, replayed.durationNs());
            if (part == PathPart::Idle && !m_hasHost[m_graph.worker[op.value].value])
                m_entries.addUnrecorded(replayed.durationNs());
        }

        void addOp(OpId op, const TimeRange &replayed)
        {
            if (replayed.isEmpty())
                return;
            const PathPart part = opPart(op);
            m_entries.add(part, replayed.durationNs());
            std::vector<StagePiece> pieces;
            if (part == PathPart::Communication)
                pieces = stagesOf(op);
            visitPieces(pieces, replayed, [&](const StagePiece &piece, const TimeRange &range) {
                listStage(op, piece, part, range);
            });
            if (pieces.empty() && m_entries.isListing())
                m_entries.list(entryOf(op, replayed), part);
        }

        std::vector<StagePiece> stagesOf(OpId op) const
        {
            if (const CollectiveNode *node = collectiveOf(op)) {
                std::vector<SliceId> slices;
                for (const CollectiveNode::Part &part : node->parts)
                    slices.push_back(part.slice);
                return m_stages.within(slices, measuredTransfer(m_graph, *node));
            }
            return stagesOfCall(
                m_graph.slice[op.value],
                { m_graph.measuredStartNs[op.value],
                  m_graph.measuredStartNs[op.value] + m_graph.durationNs[op.value] });
        }

        /// Of a call of one rank, which is the transfer itself: what waits meanwhile is another
        /// part of the tensor.
        std::vector<StagePiece> stagesOfCall(SliceId slice, const TimeRange &range) const
        {
            if (slice == NoSlice)
                return {};
            std::vector<StagePiece> pieces = m_stages.within({ &slice, 1 }, range);
            for (StagePiece &piece : pieces)
                if (isWaiting(piece.stage))
                    piece.stage.clear();
            const bool isWhole = std::all_of(pieces.begin(), pieces.end(),
                                             [](const auto &piece) { return piece.stage.empty(); });
            if (const auto whole = m_stages.wholeOf(slice, range); isWhole && whole)
                return { *whole };
            return pieces;
        }

        /// Pieces of what was measured, on the replay's time: stretched to fill `replayed`.
        template <class Visit>
        static void visitPieces(const std::vector<StagePiece> &pieces, const TimeRange &replayed,
                                Visit visit)
        {
            if (pieces.empty())
                return;
            const TimeRange measured { pieces.front().range.startNs, pieces.back().range.endNs };
            const double scale = static_cast<double>(replayed.durationNs())
                / static_cast<double>(std::max<std::int64_t>(1, measured.durationNs()));
            const auto toReplay = [&](std::int64_t ns) {
                return replayed.startNs
                    + std::llround(static_cast<double>(ns - measured.startNs) * scale);
            };
            for (const StagePiece &piece : pieces)
                visit(piece, { toReplay(piece.range.startNs), toReplay(piece.range.endNs) });
        }

        CriticalOp entryOf(OpId op, const TimeRange &range) const
        {
            CriticalOp entry;
            entry.name = m_graph.names[m_graph.name[op.value].value];
            entry.rank = rankOf(op);
            entry.device = device(op).name;
            entry.startNs = m_originNs + range.startNs;
            entry.durationNs = range.durationNs();
            entry.slice = m_graph.slice[op.value];
            if (const CollectiveNode *node = collectiveOf(op);
                m_isListingAll && entry.slice == NoSlice && node != nullptr)
                entry.slice = lastSlice(*node);
            return entry;
        }

        /// Whose end or begin is waited for between two ops; NoOp: no transfer.
        OpId awaitedTransfer(OpId previous, OpId op) const
        {
            if (m_graph.kind[op.value] == OpKind::Communication)
                return op;
            return previous != NoOp && m_graph.kind[previous.value] == OpKind::Communication
                ? previous
                : NoOp;
        }

        void listGap(OpId previous, OpId op, PathPart part, const TimeRange &range)
        {
            if (!m_isListingAll || range.isEmpty())
                return;
            CriticalOp entry = entryOf(op, range);
            entry.name = "before " + entry.name;
            entry.isGap = true;
            const OpId transfer = part == PathPart::Wait ? awaitedTransfer(previous, op) : NoOp;
            if (transfer != NoOp)
                entry.waitsFor = rankOf(transfer);
            if (transfer != NoOp && transfer == previous)
                entry.name = "after " + m_graph.names[m_graph.name[transfer.value].value];
            m_entries.list(std::move(entry), part);
        }

        void listStage(OpId op, const StagePiece &piece, PathPart part, const TimeRange &range)
        {
            if (range.isEmpty() || !m_entries.isListing())
                return;
            CriticalOp entry = entryOf(op, range);
            if (piece.stage.empty()) {
                m_entries.listStage(entry, part, std::string(BetweenStages), "of " + entry.name);
                return;
            }
            entry.rank = m_trace.workers[piece.worker.value].rank;
            entry.slice = piece.slice;
            m_entries.listStage(std::move(entry), part, piece.stage, piece.tensor);
        }

        const Trace &m_trace;
        const Graph &m_graph;
        const ReplayResult &m_replay;
        std::int64_t m_originNs;
        std::vector<bool> m_isAccelerated, m_hasHost;
        std::vector<bool> m_isLaunching; ///< by op: it hands work to a device
        std::vector<std::pair<OpId, std::size_t>> m_collectiveOf; ///< transfer -> index, sorted
        std::unordered_map<std::uint32_t, std::size_t> m_indexOfEnd; ///< op -> Graph::iterationEnds
        CommunicationStages m_stages;
        bool m_isListingAll = false;
        CriticalPathEntries m_entries { true };
    };

    /// Of those that are counted; of all where none is.
    CriticalPathParts meanOf(const std::vector<CriticalPathIteration> &iterations)
    {
        CriticalPathParts mean;
        std::int64_t count = 0;
        const auto addUp = [&](bool isAll) {
            for (const CriticalPathIteration &one : iterations) {
                if (!isAll && !one.isCounted)
                    continue;
                ++count;
                for (const auto part : CriticalPathParts::all)
                    mean.*part += one.parts.*part;
            }
        };
        addUp(false);
        if (count == 0)
            addUp(true);
        for (const auto part : CriticalPathParts::all)
            mean.*part /= std::max<std::int64_t>(1, count);
        return mean;
    }

} // namespace

CriticalPathReport criticalPathReport(const Trace &trace, const Prediction &replayed,
                                      const JobControl &control)
{
    Attribution attribution(trace, replayed);
    CriticalPathReport report = attribution.of(replayed.criticalPath, true);
    const auto count = static_cast<std::size_t>(replayed.graph->iterationCount);
    const std::vector<CommonIteration> measured = commonIterations(trace);
    const bool isNumbered = measured.size() == count;
    const auto numberOf = [&](std::size_t i) {
        return isNumbered ? measured[i].index : static_cast<std::int64_t>(i);
    };
    report.iteration = numberOf(replayed.typicalIteration);
    if (isNumbered)
        report.measuredNs = measured[replayed.typicalIteration].slowestNs;
    for (std::size_t i = 0; i < count; ++i) {
        throwIfCancelled(control);
        const CriticalPathReport one = attribution.of(iterationPath(replayed, i), false);
        const CriticalPathParts &parts = one;
        report.iterations.push_back({ numberOf(i), replayed.counts(i), parts });
    }
    report.mean = meanOf(report.iterations);
    return report;
}

CriticalPathReport iterationPathReport(const Trace &trace, const Prediction &replayed,
                                       std::size_t iteration)
{
    Attribution attribution(trace, replayed);
    attribution.listAll();
    CriticalPathReport report = attribution.of(iterationPath(replayed, iteration), true);
    const std::vector<CommonIteration> measured = commonIterations(trace);
    const bool isNumbered
        = measured.size() == static_cast<std::size_t>(replayed.graph->iterationCount);
    report.iteration
        = isNumbered ? measured[iteration].index : static_cast<std::int64_t>(iteration);
    if (isNumbered)
        report.measuredNs = measured[iteration].slowestNs;
    return report;
}

} // namespace core
