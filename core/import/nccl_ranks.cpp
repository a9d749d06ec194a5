#include "core/import/nccl_ranks.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MaximumWorkers = 4096;

} // namespace

NcclRanks::NcclRanks(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
{
}

WorkerId NcclRanks::workerOf(const Member &member, std::uint64_t offset)
{
    std::vector<Owner> &owners = m_byProcess[{ member.host, member.process }];
    auto owner = std::find_if(owners.begin(), owners.end(), [&](const Owner &known) {
        const auto found = known.rankIn.find(member.communicator);
        return found != known.rankIn.end() && found->second == member.rank;
    });
    if (owner == owners.end()) {
        const auto isFree = [&](const Owner &known) {
            return known.rankIn.find(member.communicator) == known.rankIn.end();
        };
        owner = std::find_if(owners.begin(), owners.end(), isFree);
        if (owner != owners.end() && std::count_if(owners.begin(), owners.end(), isFree) > 1)
            m_sink.diagnostics().count(
                "ambiguous-rank", Severity::Warning, { m_file, offset },
                "a process with several devices has further communicators: which of its devices "
                "is which of their ranks is not in the file, they were taken in order. Run one "
                "process a device to have it");
    }
    if (owner == owners.end() && (owners.empty() || m_count < MaximumWorkers)) {
        ++m_count;
        owners.push_back({ m_sink.addWorker(), {}, 0, -1 });
        owner = owners.end() - 1;
    } else if (owner == owners.end()) {
        owner = owners.begin();
        m_sink.diagnostics().count("too-many-ranks", Severity::Error, { m_file, offset },
                                   "more than 4096 ranks in one file: it is damaged. What the "
                                   "further ones did was put to the first rank of their process");
        return owner->worker;
    }
    owner->rankIn[member.communicator] = member.rank;
    if (member.size > owner->largest) {
        owner->largest = member.size;
        owner->rank = member.rank;
    }
    return owner->worker;
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
