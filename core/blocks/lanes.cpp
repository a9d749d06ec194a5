#include "core/blocks/lanes.h"

#include "core/base/error.h"
#include "core/replay/replayed_collectives.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>
#include <tuple>

namespace core {

namespace {

    LaneKind laneKindOf(const Device &device)
    {
        if (device.isLink && !device.partOf)
            return LaneKind::Link;
        if (device.isBackend || device.partOf)
            return LaneKind::Communication;
        return device.isStream ? LaneKind::Stream : LaneKind::Host;
    }

    /// The number at the end of a stream's name: 7 comes before 20. 0 without one.
    int numberAtEnd(const std::string &name)
    {
        const std::size_t last = name.find_last_not_of("0123456789");
        const std::string digits = last == std::string::npos ? name : name.substr(last + 1);
        constexpr std::size_t MostDigits = 9;
        return digits.empty() || digits.size() > MostDigits ? 0 : std::stoi(digits);
    }

    class LaneMaker
    {
    public:
        LaneMaker(const DrawnJob &job, std::span<const int> ranks, const JobControl &control)
            : m_job(job)
            , m_graph(job.graph)
            , m_control(control)
            , m_ranks(ranks.begin(), ranks.end())
            , m_lanes(job.graph.devices.size())
        {
        }

        std::vector<Lane> make()
        {
            setHeads();
            addCollectives();
            addOps();
            std::erase_if(m_lanes, [](const Lane &lane) { return lane.ops.empty(); });
            for (Lane &lane : m_lanes)
                std::stable_sort(
                    lane.ops.begin(), lane.ops.end(), [](const LaneOp &a, const LaneOp &b) {
                        return std::tuple(a.startNs, a.endNs) < std::tuple(b.startNs, b.endNs);
                    });
            const auto place = [this](const Lane &lane) {
                const bool isLink = lane.kind == LaneKind::Link;
                const int rank = lane.isShared ? 0 : m_job.workers[lane.worker.value].rank;
                const std::size_t busy = lane.kind == LaneKind::Host ? lane.ops.size() : 0;
                const std::uint32_t server = m_graph.devices[lane.device.value].server.value_or(0);
                return std::tuple(isLink, lane.isShared, server, rank, lane.kind,
                                  -static_cast<std::int64_t>(busy), numberAtEnd(lane.name),
                                  lane.device.value);
            };
            std::sort(m_lanes.begin(), m_lanes.end(),
                      [&place](const Lane &a, const Lane &b) { return place(a) < place(b); });
            return std::move(m_lanes);
        }

    private:
        void setHeads()
        {
            for (std::uint32_t d = 0; d < m_lanes.size(); ++d) {
                const Device &device = m_graph.devices[d];
                Lane &lane = m_lanes[d];
                lane.name = device.name;
                lane.kind = laneKindOf(device);
                lane.worker = device.worker;
                lane.device = DeviceId(d);
                lane.isShared = lane.kind == LaneKind::Link || device.server.has_value();
                lane.group = lane.kind == LaneKind::Link ? "links"
                    : device.server
                    ? "server " + std::to_string(*device.server)
                    : "rank " + std::to_string(m_job.workers[device.worker.value].rank);
            }
        }

        bool isDrawn(OpId op) const
        {
            return m_graph.iterationCount == 0 || m_graph.iteration[op.value] == m_job.iteration;
        }

        bool isWanted(WorkerId worker) const
        {
            return m_ranks.empty() || m_ranks.contains(m_job.workers[worker.value].rank);
        }

        void addCollectives()
        {
            m_isAdded.assign(m_graph.size(), 0);
            findCopies();
            const auto parts = replayedCollectives(m_graph, m_job.replay);
            for (std::uint32_t c = 0; c < m_graph.collectives.size(); ++c) {
                throwIfCancelled(m_control);
                const CollectiveNode &node = m_graph.collectives[c];
                m_isAdded[node.arrival.value] = m_isAdded[node.transfer.value] = 1;
                if (!isDrawn(node.transfer))
                    continue;
                bool isAny = false;
                for (std::size_t p = 0; p < node.parts.size(); ++p) {
                    const OpId ready = node.parts[p].ready;
                    if (!isWanted(node.parts[p].worker))
                        continue;
                    isAny = true;
                    const ReplayedPart &part = parts[c][p];
                    m_isAdded[ready.value] = 1;
                    m_lanes[m_graph.device[ready.value].value].ops.push_back(
                        { ready, part.startNs, part.endNs, part.transferStartNs - part.startNs,
                          c });
                }
                if (isAny)
                    addTransfer(node, c);
            }
        }

        /// From when the link takes it; in chunks from when all ranks have come.
        void addTransfer(const CollectiveNode &node, std::uint32_t index)
        {
            const bool isInChunks = m_graph.kind[node.transfer.value] == OpKind::Virtual;
            const std::int64_t startNs = isInChunks ? m_job.replay.endNs[node.arrival.value]
                                                    : m_job.replay.startNs[node.transfer.value];
            m_lanes[m_graph.device[node.transfer.value].value].ops.push_back(
                { node.transfer, startNs, m_job.replay.endNs[node.transfer.value], 0, index });
        }

        void findCopies()
        {
            m_isCopyOut.assign(m_graph.size(), 0);
            for (const GradientStep &step : m_graph.gradientSteps)
                for (const std::vector<OpId> *ops : { &step.copies, &step.copyStarts })
                    for (const OpId op : *ops)
                        m_isCopyOut[op.value] = 1;
        }

        void addOps()
        {
            for (std::uint32_t op = 0; op < m_graph.size(); ++op) {
                constexpr std::uint32_t Mask = 0xFFFF;
                if ((op & Mask) == 0)
                    throwIfCancelled(m_control);
                if (m_isAdded[op] != 0 || m_graph.kind[op] == OpKind::Virtual || !isDrawn(OpId(op))
                    || !isWanted(m_graph.worker[op]))
                    continue;
                m_lanes[m_graph.device[op].value].ops.push_back(
                    { .op = OpId(op),
                      .startNs = m_job.replay.startNs[op],
                      .endNs = m_job.replay.endNs[op],
                      .isCopyOut = m_isCopyOut[op] != 0 });
            }
        }

        const DrawnJob &m_job;
        const Graph &m_graph;
        const JobControl &m_control;
        std::set<int> m_ranks;
        std::vector<Lane> m_lanes; ///< by DeviceId until they are sorted
        std::vector<char> m_isAdded, m_isCopyOut; ///< by OpId
    };

} // namespace

std::vector<Lane> lanesOf(const DrawnJob &job, std::span<const int> ranks,
                          const JobControl &control)
{
    return LaneMaker(job, ranks, control).make();
}

TimeRange rangeOf(std::span<const Lane> lanes)
{
    TimeRange range { std::numeric_limits<std::int64_t>::max(), 0 };
    for (const Lane &lane : lanes)
        for (const LaneOp &op : lane.ops) {
            range.startNs = std::min(range.startNs, op.startNs + op.waitNs);
            range.endNs = std::max(range.endNs, op.endNs);
        }
    return range.startNs > range.endNs ? TimeRange {} : range;
}

std::vector<int> ranksFromText(const std::string &text)
{
    constexpr int MostRanks = 100'000;
    std::vector<int> ranks;
    const char *next = text.data();
    const char *const end = next + text.size();
    while (next != end) {
        int first = 0;
        auto read = std::from_chars(next, end, first);
        int last = first;
        if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-')
            read = std::from_chars(read.ptr + 1, end, last);
        if (read.ec != std::errc() || first < 0 || last < first || last - first > MostRanks
            || (read.ptr != end && *read.ptr != ','))
            throw UsageError("Ranks are numbers and ranges, as 0,1,4-7");
        for (int rank = first; rank <= last; ++rank)
            ranks.push_back(rank);
        next = read.ptr == end ? end : read.ptr + 1;
    }
    return ranks;
}

} // namespace core
