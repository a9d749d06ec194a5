#include "core/fit/contention/kernel_overlap.h"

#include "core/measure/busy_times.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace core {

namespace {

    /// Of the shorter of two kernels: less is the end of the one and the start of the next.
    constexpr double CrowdedShare = 0.05;

    bool isOnStream(const Graph &graph, OpId op)
    {
        return graph.devices[graph.device[op.value].value].isStream;
    }

    /// A worker's part of a collective or message.
    struct OwnPart
    {
        std::uint32_t collective, part; ///< index into Graph::collectives, into its parts
    };

    /// What one worker's kernels are beside.
    class OverlapOfWorker
    {
    public:
        OverlapOfWorker(const Graph &graph, const std::vector<OwnPart> &parts,
                        const std::vector<std::uint32_t> &ops)
            : m_graph(graph)
        {
            std::vector<TimeRange> transfers, all;
            for (const OwnPart &own : parts) {
                const CollectiveNode &node = graph.collectives[own.collective];
                const CollectiveNode::Part &part = node.parts[own.part];
                const std::int64_t beginNs = graph.measuredStartNs[node.transfer.value];
                // On its own clock what comes after its part is not beside it.
                transfers.push_back({ std::clamp(beginNs, part.startNs, part.endNs), part.endNs });
                all.push_back({ part.startNs, part.endNs });
            }
            for (const std::uint32_t op : ops)
                if (graph.kind[op] == OpKind::Communication)
                    transfers.push_back(rangeOf(op));
                else
                    m_kernels.push_back(op);
            all.insert(all.end(), transfers.begin(), transfers.end());
            m_transfer = BusyTimes(std::move(transfers));
            m_all = BusyTimes(std::move(all));
        }

        void addTo(KernelOverlap &overlap)
        {
            BusyTimes::Place inTransfer = 0, inAll = 0;
            for (const std::uint32_t op : m_kernels) {
                const double transfer = m_transfer.shareOf(rangeOf(op), inTransfer);
                overlap.transfer[op] = static_cast<float>(transfer);
                overlap.waiting[op]
                    = static_cast<float>(m_all.shareOf(rangeOf(op), inAll) - transfer);
            }
            noteCrowded(overlap);
        }

    private:
        TimeRange rangeOf(std::uint32_t op) const
        {
            const std::int64_t startNs = m_graph.measuredStartNs[op];
            return { startNs, startNs + m_graph.durationNs[op] };
        }

        void noteCrowded(KernelOverlap &overlap)
        {
            std::sort(m_kernels.begin(), m_kernels.end(), [this](auto a, auto b) {
                return m_graph.measuredStartNs[a] < m_graph.measuredStartNs[b];
            });
            const std::uint32_t *last = nullptr; // of those before it the one that ends last
            for (const std::uint32_t &op : m_kernels) {
                const TimeRange own = rangeOf(op);
                const TimeRange before = last == nullptr ? TimeRange {} : rangeOf(*last);
                const std::int64_t besideNs
                    = last == nullptr ? 0 : std::min(own.endNs, before.endNs) - own.startNs;
                const std::int64_t shorterNs = std::min(own.durationNs(), before.durationNs());
                if (static_cast<double>(besideNs) > CrowdedShare * static_cast<double>(shorterNs))
                    overlap.isCrowded[op] = overlap.isCrowded[*last] = true;
                if (last == nullptr || own.endNs > before.endNs)
                    last = &op;
            }
        }

        const Graph &m_graph;
        std::vector<std::uint32_t> m_kernels;
        BusyTimes m_transfer, m_all;
    };

} // namespace

bool isKernel(const Graph &graph, std::size_t op)
{
    return graph.kind[op] == OpKind::Compute && graph.devices[graph.device[op].value].isStream;
}

KernelOverlap kernelOverlap(const Graph &measured, const JobControl &control)
{
    const std::size_t workers = measured.workerCount();
    std::vector<std::vector<OwnPart>> parts(workers);
    std::vector<std::vector<std::uint32_t>> ops(workers);
    for (std::uint32_t i = 0; i < measured.collectives.size(); ++i) {
        const CollectiveNode &node = measured.collectives[i];
        for (std::uint32_t p = 0; p < node.parts.size(); ++p)
            if (isOnStream(measured, node.parts[p].ready))
                parts[node.parts[p].worker.value].push_back({ i, p });
    }
    for (std::uint32_t op = 0; op < measured.size(); ++op)
        if (isKernel(measured, op)
            || (measured.kind[op] == OpKind::Communication && isOnStream(measured, OpId(op))))
            ops[measured.worker[op].value].push_back(op);
    KernelOverlap overlap;
    overlap.transfer.resize(measured.size());
    overlap.waiting.resize(measured.size());
    overlap.isCrowded.resize(measured.size());
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
        throwIfCancelled(control);
        OverlapOfWorker(measured, parts[worker], ops[worker]).addTo(overlap);
    }
    return overlap;
}

std::vector<CommunicatingDevice> communicatingDevices(const Graph &graph)
{
    const std::size_t workers = graph.workerCount();
    std::map<DeviceId, std::vector<bool>> isOn; // by worker
    for (const CollectiveNode &node : graph.collectives) {
        std::vector<bool> *onLink = nullptr;
        for (const CollectiveNode::Part &part : node.parts) {
            if (!isOnStream(graph, part.ready))
                continue;
            if (onLink == nullptr) {
                onLink = &isOn[graph.device[node.transfer.value]];
                onLink->resize(workers, false);
            }
            (*onLink)[part.worker.value] = true;
        }
    }
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] == OpKind::Communication && isOnStream(graph, OpId(op))) {
            std::vector<bool> &onStream = isOn[graph.device[op]];
            onStream.resize(workers, false);
            onStream[graph.worker[op].value] = true;
        }
    std::vector<CommunicatingDevice> devices;
    devices.reserve(isOn.size());
    for (const auto &[device, ofWorker] : isOn) {
        devices.push_back({ device, {} });
        for (std::uint32_t worker = 0; worker < workers; ++worker)
            if (ofWorker[worker])
                devices.back().workers.push_back(WorkerId(worker));
    }
    return devices;
}

} // namespace core
