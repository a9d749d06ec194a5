#include "core/import/longpole/longpole_ranks.h"

#include <algorithm>

namespace core {

namespace {

    int numberOf(std::uint32_t number)
    {
        return static_cast<int>(number & 0x7FFFFFFFU);
    }

} // namespace

RecordedRanks::RecordedRanks(TraceSink &sink, std::string file, const RecordedNames &names)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_names(names)
    , m_devices(sink, m_file)
{
}

void RecordedRanks::setProcess(WorkerInfo info, std::string process)
{
    m_info = std::move(info);
    m_process = std::move(process);
}

NcclRanks::Member RecordedRanks::memberOf(const collectors::CommunicatorRecord &communicator) const
{
    return { m_info.host, m_process, std::to_string(communicator.communicator),
             numberOf(communicator.rank), numberOf(communicator.rankCount) };
}

/// Once, with the header and all communicators known: the largest ones first, whose ranks count.
void RecordedRanks::decide()
{
    std::vector<collectors::CommunicatorRecord> all;
    std::optional<std::uint64_t> before;
    for (const auto &[key, communicator] : m_names.communicators()) {
        m_hasSeveralRanks = m_hasSeveralRanks || before == key.first;
        before = key.first;
        all.push_back(communicator);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto &a, const auto &b) { return a.rankCount > b.rankCount; });
    m_largest = all.empty() ? 0 : all.front().rankCount;
    if (m_hasSeveralRanks) {
        for (const collectors::CommunicatorRecord &communicator : all) {
            const WorkerId worker = m_devices.workerOf(memberOf(communicator), 0);
            m_own = m_own.value_or(worker);
        }
        return;
    }
    m_own = m_sink.addWorker();
    if (m_largest == 0)
        return;
    if (!m_info.rank) {
        m_info.rank = numberOf(all.front().rank);
        m_isRankOfCommunicator = true;
    }
    if (!m_info.worldSize && m_isRankOfCommunicator)
        m_info.worldSize = numberOf(m_largest);
}

WorkerId RecordedRanks::own()
{
    if (!m_own)
        decide();
    return *m_own;
}

WorkerId RecordedRanks::workerOf(std::uint64_t communicator, std::uint32_t rank,
                                 std::uint64_t offset)
{
    const WorkerId worker = own();
    const auto *known = m_hasSeveralRanks ? m_names.communicator(communicator, rank) : nullptr;
    return known != nullptr ? m_devices.workerOf(memberOf(*known), offset) : worker;
}

std::optional<int> RecordedRanks::jobRankOf(std::uint64_t communicator, std::uint32_t ownRank,
                                            std::uint32_t peer)
{
    own();
    const auto *known = m_names.communicator(communicator, ownRank);
    if (known == nullptr || known->rankCount == 0)
        return std::nullopt;
    if (m_hasSeveralRanks)
        return known->rankCount == m_largest ? std::optional(numberOf(peer)) : std::nullopt;
    const bool isJob
        = m_info.rank == numberOf(ownRank) && m_info.worldSize == numberOf(known->rankCount);
    return isJob ? std::optional(numberOf(peer)) : std::nullopt;
}

void RecordedRanks::describe()
{
    const WorkerId worker = own();
    if (m_hasSeveralRanks)
        return m_devices.describeAll();
    m_sink.describeWorker(worker, m_info);
    if (m_isRankOfCommunicator)
        m_sink.diagnostics().count(
            "communicator-ranks", Severity::Info, { m_file, {} },
            "the rank is that of the largest communicator in the file: it is the job's rank only "
            "if that has all ranks");
}

} // namespace core
