#include "core/import/nccl/nccl_event_ranks.h"

#include "core/import/nccl/nccl_event_kinds.h"

#include <utility>

namespace core {

NcclEventRanks::NcclEventRanks(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
{
}

std::vector<WorkerId> NcclEventRanks::workersOf(const NcclEventTree &tree)
{
    const std::vector<std::optional<int>> ranks = ranksOf(tree);
    for (const std::optional<int> &rank : ranks) {
        if (rank)
            workerOf(rank); // before the process's own events, which go to its first rank
    }
    std::vector<WorkerId> workers;
    workers.reserve(ranks.size());
    for (const std::optional<int> &rank : ranks)
        workers.push_back(workerOf(rank));
    return workers;
}

std::vector<std::optional<int>> NcclEventRanks::ranksOf(const NcclEventTree &tree)
{
    std::vector<std::optional<int>> ranks(tree.size());
    std::size_t call = tree.size();
    std::uint64_t forgotten = 0;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        if (isNcclApiCall(tree[i]))
            call = i;
        const std::optional<int> rank
            = isNcclOperation(tree[i]) ? indexMember(tree[i].args, "Rank") : std::nullopt;
        if (!rank)
            continue;
        for (std::size_t part = i; part < tree[i].subtreeEnd; ++part)
            ranks[part] = rank;
        if (call < i && i < tree[call].subtreeEnd) {
            ranks[call] = rank;
            forgotten += rememberStream(tree[call], *rank) ? 0 : 1;
        }
    }
    for (std::size_t i = 0; i < tree.size(); ++i) {
        if (tree[i].category != "KERNEL_LAUNCH")
            continue;
        const auto found = m_rankOfStream.find(ncclText(tree[i], "Stream"));
        if (found != m_rankOfStream.end())
            ranks[i] = found->second;
    }
    if (forgotten > 0)
        m_sink.diagnostics().add(
            { "too-many-streams", Severity::Warning, forgotten, m_file, tree.front().offset,
              "operations on more than 100000 streams in one process: launches on the further ones "
              "were put to the first rank. If that many streams never were, the file is damaged: "
              "record again" });
    return ranks;
}

bool NcclEventRanks::rememberStream(const NcclEvent &call, int rank)
{
    const std::string stream = ncclText(call, "Stream");
    if (m_rankOfStream.size() >= MaximumStreams && !m_rankOfStream.contains(stream))
        return false;
    m_rankOfStream[stream] = rank;
    return true;
}

WorkerId NcclEventRanks::workerOf(std::optional<int> rank)
{
    if (!rank && !m_workers.empty())
        return m_workers.begin()->second;
    const auto known = m_workers.find(rank);
    if (known != m_workers.end())
        return known->second;
    if (m_workers.size() == 1 && !m_workers.begin()->first) {
        // What came before the first rank is known now to be that rank's.
        auto node = m_workers.extract(m_workers.begin());
        node.key() = rank;
        return m_workers.insert(std::move(node)).position->second;
    }
    if (m_workers.size() >= MaximumRanks) {
        m_sink.diagnostics().count("too-many-ranks", Severity::Error, { m_file, {} },
                                   "more than 4096 ranks in one process: the file is damaged. "
                                   "Events of further ones were put to the first rank");
        return m_workers.begin()->second;
    }
    return m_workers[rank] = m_sink.addWorker();
}

void NcclEventRanks::describeAll()
{
    for (const auto &[rank, worker] : m_workers) {
        WorkerInfo info;
        info.rank = rank;
        m_sink.describeWorker(worker, info);
    }
}

} // namespace core
