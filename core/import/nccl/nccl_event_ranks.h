#pragma once

#include "core/import/nccl/nccl_event_tree.h"
#include "core/model/trace_sink.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// The ranks of one process, by the events of NCCL's profiler plug-in, and their workers.
class NcclEventRanks
{
public:
    static constexpr std::size_t MaximumRanks = 4096;
    static constexpr std::size_t MaximumStreams = 100'000; ///< whose rank is remembered

    /// The sink must outlive this.
    NcclEventRanks(TraceSink &sink, std::string file);

    /// The worker of every event of a tree: its rank's where the file tells it, from the
    /// collectives and transfers down to their parts, up to their API calls, and by the stream to
    /// the kernel launches; else the first one.
    std::vector<WorkerId> workersOf(const NcclEventTree &tree);
    /// What belongs to the process is put there.
    WorkerId firstWorker() { return workerOf(std::nullopt); }
    /// Tells the sink about all workers.
    void describeAll();

private:
    std::vector<std::optional<int>> ranksOf(const NcclEventTree &tree);
    /// Returns whether there was room.
    bool rememberStream(const NcclEvent &call, int rank);
    WorkerId workerOf(std::optional<int> rank);

    TraceSink &m_sink;
    std::string m_file;
    std::map<std::optional<int>, WorkerId> m_workers; ///< by rank; absent: the file names none
    std::map<std::string, int> m_rankOfStream;
};

} // namespace core
