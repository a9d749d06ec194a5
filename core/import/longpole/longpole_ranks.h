#pragma once

#include "core/import/longpole/longpole_names.h"
#include "core/import/nccl/nccl_ranks.h"

namespace core {

/// Whose the records of a recording are. A process has one rank, which its file says, unless two
/// ranks of one communicator are in it: then it drives several devices, and NcclRanks tells them
/// apart.
class RecordedRanks
{
public:
    /// The references must outlive this. `names` has all communicators of the file.
    RecordedRanks(TraceSink &sink, std::string file, const RecordedNames &names);

    /// Of the file's header, before the first worker is asked for.
    void setProcess(WorkerInfo info, std::string process);
    /// That records belong to which name no communicator.
    WorkerId own();
    WorkerId workerOf(std::uint64_t communicator, std::uint32_t rank, std::uint64_t offset);
    /// The rank in the job of a rank of a communicator, as the other end is told; absent where the
    /// communicator is not the whole job in its order.
    std::optional<int> jobRankOf(std::uint64_t communicator, std::uint32_t ownRank,
                                 std::uint32_t peer);
    /// Tells the sink about all workers.
    void describe();

private:
    NcclRanks::Member memberOf(const collectors::CommunicatorRecord &communicator) const;
    void decide();

    TraceSink &m_sink;
    std::string m_file;
    const RecordedNames &m_names;
    WorkerInfo m_info;
    std::string m_process;
    std::optional<WorkerId> m_own;
    NcclRanks m_devices;
    std::uint32_t m_largest = 0; ///< ranks of a communicator
    bool m_hasSeveralRanks = false;
    bool m_isRankOfCommunicator = false; ///< the header has none
};

} // namespace core
