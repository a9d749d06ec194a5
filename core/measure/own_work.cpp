#include "core/measure/own_work.h"

#include "core/base/interval_set.h"
#include "core/base/median_ns.h"
#include "core/base/saturated_time.h"
#include "core/replay/latest_time.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

    /// Sums of a damaged trace's times do not overflow.
    void addWork(const Graph &graph, std::size_t op, std::int64_t &sumNs)
    {
        sumNs = laterNs(laterNs(sumNs, graph.durationNs[op]), graph.delayNs[op]);
    }

    /// When each worker is at work: its ops with the delays before them, as measured.
    class WorkTimes
    {
    public:
        explicit WorkTimes(const Graph &graph)
            : m_graph(graph)
            , m_last(graph.devices.size())
            , m_times(graph.workerCount())
        {
        }

        void add(OpId op)
        {
            const std::int64_t startNs
                = std::clamp<std::int64_t>(m_graph.measuredStartNs[op.value], -LatestNs, LatestNs);
            const TimeRange range {
                std::max(saturatedDifference(startNs, m_graph.delayNs[op.value]), -LatestNs),
                std::min(saturatedSum(startNs, m_graph.durationNs[op.value]), LatestNs)
            };
            // What follows on a device begins where this ends, most often.
            Last &last = m_last[m_graph.device[op.value].value];
            const bool isNext = last.worker == m_graph.worker[op.value]
                && range.startNs >= last.range.startNs && range.startNs <= last.range.endNs;
            if (isNext) {
                last.range.endNs = std::max(last.range.endNs, range.endNs);
                return;
            }
            keep(last);
            last = { m_graph.worker[op.value], range };
        }

        std::vector<std::int64_t> lengthsNs()
        {
            for (const Last &last : m_last)
                keep(last);
            std::vector<std::int64_t> lengths;
            lengths.reserve(m_times.size());
            for (std::vector<TimeRange> &times : m_times)
                lengths.push_back(std::min(IntervalSet(std::move(times)).lengthNs(), LatestNs));
            return lengths;
        }

    private:
        /// What was not added to the worker's times yet; the virtual ops of all share a device.
        struct Last
        {
            WorkerId worker { 0 };
            TimeRange range;
        };

        void keep(const Last &last)
        {
            if (!last.range.isEmpty()) // a device without ops has no worker either
                m_times[last.worker.value].push_back(last.range);
        }

        const Graph &m_graph;
        std::vector<Last> m_last; ///< by DeviceId
        std::vector<std::vector<TimeRange>> m_times; ///< by WorkerId
    };

    enum class WorkPart : std::uint8_t { Duration, Gap, OwnDelay };

    /// A part of an own op, which may belong to another family than the op's other parts.
    struct WorkPiece
    {
        std::uint32_t op;
        WorkPart part;
    };

    struct WorkFamilyHash
    {
        std::size_t operator()(const WorkFamily &family) const
        {
            const std::uint64_t names
                = (std::uint64_t { family.name.value } << 32) | family.before.value;
            return std::hash<std::uint64_t> {}(
                names * 8 + static_cast<std::uint64_t>(family.kind) * 2 + (family.isGap ? 1 : 0));
        }
    };

    /// Own work in pieces that each are of one family.
    class WorkPieces
    {
    public:
        WorkPieces(const Graph &graph, const std::vector<DelayParts> &delays)
            : m_graph(graph)
            , m_delays(delays)
        {
            const std::vector<bool> isOwn = ownWork(graph);
            for (std::uint32_t op = 0; op < graph.size(); ++op)
                for (const WorkPart part :
                     { WorkPart::Duration, WorkPart::Gap, WorkPart::OwnDelay })
                    if (isOwn[op] && ns({ op, part }) > 0)
                        m_pieces.push_back({ op, part });
            sort();
        }

        const std::vector<WorkPiece> &sorted() const { return m_pieces; }

        WorkFamily family(WorkPiece piece) const
        {
            const DelayParts &delay = m_delays[piece.op];
            if (piece.part == WorkPart::Gap)
                return { delay.name, true, delay.before, WorkKind::Gap };
            return { piece.part == WorkPart::Duration ? m_graph.name[piece.op] : delay.name,
                     false,
                     {},
                     opKind(piece.op) };
        }

        std::int64_t ns(WorkPiece piece) const
        {
            switch (piece.part) {
            case WorkPart::Duration:
                return m_graph.durationNs[piece.op];
            case WorkPart::Gap:
                return m_delays[piece.op].gapNs;
            case WorkPart::OwnDelay:
                break;
            }
            return m_graph.delayNs[piece.op] - m_delays[piece.op].gapNs;
        }

    private:
        WorkKind opKind(std::uint32_t op) const
        {
            if (m_graph.phase[op] == Phase::Input)
                return WorkKind::Input;
            return m_graph.devices[m_graph.device[op].value].isStream ? WorkKind::Device
                                                                      : WorkKind::Host;
        }

        /// By family, then by worker: by worker first, as later sorting keeps the order of equals.
        void sort()
        {
            std::vector<std::uint32_t> places;
            places.reserve(m_pieces.size());
            for (const WorkPiece &piece : m_pieces)
                places.push_back(m_graph.worker[piece.op].value);
            orderBy(places, m_graph.workerCount());

            std::unordered_map<WorkFamily, std::uint32_t, WorkFamilyHash> numbers;
            for (std::size_t i = 0; i < m_pieces.size(); ++i)
                places[i] = numbers
                                .try_emplace(family(m_pieces[i]),
                                             static_cast<std::uint32_t>(numbers.size()))
                                .first->second;
            std::vector<std::pair<WorkFamily, std::uint32_t>> families(numbers.begin(),
                                                                       numbers.end());
            std::sort(families.begin(), families.end());
            std::vector<std::uint32_t> placeOf(families.size());
            for (std::uint32_t i = 0; i < families.size(); ++i)
                placeOf[families[i].second] = i;
            for (std::uint32_t &place : places)
                place = placeOf[place];
            orderBy(places, families.size());
        }

        /// Counts places, of which there are few beside the pieces; those of one stay in order.
        void orderBy(const std::vector<std::uint32_t> &places, std::size_t count)
        {
            std::vector<std::size_t> next(count + 1, 0);
            for (const std::uint32_t place : places)
                ++next[place + 1];
            std::partial_sum(next.begin(), next.end(), next.begin());
            std::vector<WorkPiece> ordered(m_pieces.size());
            for (std::size_t i = 0; i < m_pieces.size(); ++i)
                ordered[next[places[i]]++] = m_pieces[i];
            m_pieces = std::move(ordered);
        }

        const Graph &m_graph;
        const std::vector<DelayParts> &m_delays;
        std::vector<WorkPiece> m_pieces;
    };

} // namespace

std::vector<bool> ownWork(const Graph &graph)
{
    std::vector<bool> isWorking(graph.devices.size(), false);
    for (std::uint32_t op = 0; op < graph.size(); ++op) {
        if (graph.kind[op] != OpKind::Compute)
            continue;
        isWorking[graph.device[op].value] = true;
        for (const Edge &edge : graph.predecessors(OpId(op)))
            if (edge.kind == EdgeKind::Launch)
                isWorking[graph.device[edge.op.value].value] = true;
    }
    if (std::find(isWorking.begin(), isWorking.end(), true) == isWorking.end())
        isWorking.assign(isWorking.size(), true);
    std::vector<bool> isOwn(graph.size(), false);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        const std::size_t device = graph.device[op].value;
        const bool isAtWork = isWorking[device] || graph.phase[op] == Phase::Input;
        isOwn[op]
            = isAtWork && !graph.devices[device].isLink && graph.kind[op] != OpKind::Communication;
    }
    return isOwn;
}

std::vector<std::int64_t> ownWorkNs(const Graph &graph)
{
    std::vector<std::int64_t> total(graph.workerCount(), 0);
    const std::vector<bool> isOwn = ownWork(graph);
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (isOwn[op])
            addWork(graph, op, total[graph.worker[op].value]);
    return total;
}

std::vector<std::int64_t> atWorkNs(const Graph &graph)
{
    WorkTimes times(graph);
    const std::vector<bool> isOwn = ownWork(graph);
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (isOwn[op] && graph.iteration[op] >= 0)
            times.add(OpId(op));
    return times.lengthsNs();
}

std::size_t ranksWithOwnWork(const Graph &graph)
{
    const std::vector<std::int64_t> workNs = ownWorkNs(graph);
    return static_cast<std::size_t>(
        std::count_if(workNs.begin(), workNs.end(), [](std::int64_t ns) { return ns > 0; }));
}

std::vector<std::int64_t> excessWorkNs(const Graph &graph)
{
    std::vector<std::int64_t> excess = atWorkNs(graph);
    const std::int64_t typicalNs = medianOfWorking(excess);
    for (std::int64_t &ns : excess)
        ns = ns > 0 ? ns - typicalNs : 0;
    return excess;
}

void visitOwnWork(
    const Graph &graph, const std::vector<DelayParts> &delays,
    const std::function<void(const WorkFamily &, const std::vector<WorkShare> &)> &visit)
{
    const WorkPieces work(graph, delays);
    const std::vector<WorkPiece> &pieces = work.sorted();
    std::vector<WorkShare> shares;
    for (std::size_t i = 0; i < pieces.size();) {
        const WorkFamily family = work.family(pieces[i]);
        shares.clear();
        for (; i < pieces.size(); ++i) {
            if (work.family(pieces[i]) != family)
                break;
            const WorkerId worker = graph.worker[pieces[i].op];
            if (shares.empty() || shares.back().worker != worker)
                shares.push_back({ worker, 0 });
            shares.back().ns = laterNs(shares.back().ns, work.ns(pieces[i]));
        }
        visit(family, shares);
    }
}

void visitOwnParts(
    const Graph &graph, const std::vector<DelayParts> &delays,
    const std::function<void(OpId op, const WorkFamily &family, std::int64_t ns)> &visit)
{
    const WorkPieces work(graph, delays);
    for (const WorkPiece &piece : work.sorted())
        visit(OpId(piece.op), work.family(piece), work.ns(piece));
}

std::int64_t medianOfWorking(std::vector<std::int64_t> workNs)
{
    std::erase_if(workNs, [](std::int64_t ns) { return ns <= 0; });
    return medianNs(std::move(workNs));
}

std::int64_t medianOfRanks(std::vector<std::int64_t> valuesNs, std::size_t ranks)
{
    valuesNs.resize(std::max(ranks, valuesNs.size()), 0);
    return medianNs(std::move(valuesNs));
}

OthersMedian::OthersMedian(std::vector<std::int64_t> valuesNs)
    : m_sortedNs(std::move(valuesNs))
{
    std::sort(m_sortedNs.begin(), m_sortedNs.end());
}

std::int64_t OthersMedian::without(std::int64_t ns) const
{
    if (m_sortedNs.size() < 2)
        return 0;
    const auto own = static_cast<std::size_t>(
        std::lower_bound(m_sortedNs.begin(), m_sortedNs.end(), ns) - m_sortedNs.begin());
    const std::size_t middle = (m_sortedNs.size() - 1) / 2; // of the others, the upper one of two
    return m_sortedNs[middle < own ? middle : middle + 1];
}

} // namespace core
