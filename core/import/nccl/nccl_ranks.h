#pragma once

#include "core/model/trace_sink.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace core {

/// Who a record of NCCL belongs to: records name a rank of a communicator, and one process takes
/// part in several communicators (data, tensor, pipeline parallel) under different ranks.
///
/// All records of a process are one worker's, unless two ranks of one communicator are in it: then
/// it drives several devices. A worker's rank in the job is its rank in its largest communicator.
class NcclRanks
{
public:
    struct Member
    {
        std::string host, process; ///< process: as the source writes it
        std::string communicator;
        int rank = 0; ///< of the communicator
        int size = 0; ///< of the communicator; 0: unknown
    };

    /// What is told apart; the records of further ones go to the first worker, and are counted.
    static constexpr std::size_t MaximumWorkers = 4096, MaximumMembers = 100'000;
    static constexpr std::size_t MaximumOwners = 256; ///< devices of one process

    /// The references must outlive this.
    NcclRanks(TraceSink &sink, std::string file);

    WorkerId workerOf(const Member &member, std::uint64_t offset);
    /// Tells the sink about all workers.
    void describeAll();

private:
    using Process = std::pair<std::string, std::string>; ///< host and process
    struct Owner
    {
        WorkerId worker;
        std::map<std::string, int> rankIn; ///< by communicator
        int rank = 0, largest = -1; ///< of its largest communicator so far
    };

    Owner *ownerOf(std::vector<Owner> &owners, const Member &member, std::uint64_t offset);
    WorkerId firstWorker(std::uint64_t offset);

    TraceSink &m_sink;
    std::string m_file;
    std::map<Process, std::vector<Owner>> m_byProcess;
    /// Of every member that came before, so that records take no search.
    std::map<std::tuple<Process, std::string, int>, std::size_t> m_known;
    std::optional<WorkerId> m_first;
    std::size_t m_count = 0;
};

} // namespace core
