#include "core/import/nccl/nccl_ranks.h"

#include <algorithm>

namespace core {

NcclRanks::NcclRanks(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
{
}

WorkerId NcclRanks::workerOf(const Member &member, std::uint64_t offset)
{
    const std::tuple key { Process { member.host, member.process }, member.communicator,
                           member.rank };
    const auto known = m_known.find(key);
    if (known == m_known.end() && m_known.size() >= MaximumMembers)
        return firstWorker(offset);
    const bool isNewProcess = known == m_known.end() && !m_byProcess.contains(std::get<0>(key));
    if (isNewProcess && m_count >= MaximumWorkers)
        return firstWorker(offset);
    std::vector<Owner> &owners = m_byProcess[std::get<0>(key)];
    Owner *const owner
        = known != m_known.end() ? &owners[known->second] : ownerOf(owners, member, offset);
    if (owner == nullptr)
        return firstWorker(offset);
    if (known == m_known.end()) {
        owner->rankIn[member.communicator] = member.rank;
        m_known.emplace(key, static_cast<std::size_t>(owner - owners.data()));
    }
    if (member.size > owner->largest) {
        owner->largest = member.size;
        owner->rank = member.rank;
    }
    return owner->worker;
}

/// Of a member that is new: a device of the process that is not in the communicator yet, or a new
/// one. nullptr for one device too many.
NcclRanks::Owner *NcclRanks::ownerOf(std::vector<Owner> &owners, const Member &member,
                                     std::uint64_t offset)
{
    const auto isFree = [&](const Owner &known) {
        return known.rankIn.find(member.communicator) == known.rankIn.end();
    };
    const auto owner = std::find_if(owners.begin(), owners.end(), isFree);
    if (owner != owners.end()) {
        if (std::count_if(owner, owners.end(), isFree) > 1)
            m_sink.diagnostics().count(
                "ambiguous-rank", Severity::Warning, { m_file, offset },
                "a process with several devices has further communicators: which of its devices "
                "is which of their ranks is not in the file, they were taken in order. Run one "
                "process a device to have it");
        return &*owner;
    }
    if (m_count >= MaximumWorkers || owners.size() >= MaximumOwners)
        return nullptr;
    ++m_count;
    owners.push_back({ m_sink.addWorker(), {}, 0, -1 });
    m_first = m_first.value_or(owners.back().worker);
    return &owners.back();
}

WorkerId NcclRanks::firstWorker(std::uint64_t offset)
{
    m_sink.diagnostics().count("too-many-ranks", Severity::Error, { m_file, offset },
                               "more than 4096 ranks, 256 ranks of a process or 100000 ranks of "
                               "communicators in one file: it is damaged. Events of further "
                               "ones were put to the first rank. Record again");
    return *m_first; // there is one before there are too many
}

void NcclRanks::describeAll()
{
    for (const auto &[process, owners] : m_byProcess) {
        for (const Owner &owner : owners) {
            WorkerInfo info;
            info.rank = owner.rank;
            if (owner.largest > 0)
                info.worldSize = owner.largest;
            info.host = process.first;
            m_sink.describeWorker(owner.worker, info);
        }
    }
    if (m_count > 0)
        m_sink.diagnostics().count(
            "communicator-ranks", Severity::Info, { m_file, {} },
            "the ranks are those of the largest communicator in the file: they are the job's "
            "ranks only if that has all of them");
}

} // namespace core
