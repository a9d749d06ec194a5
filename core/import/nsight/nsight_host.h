#pragma once

#include "core/import/nsight/nsight_context.h"
#include "core/import/nsight/nsight_nccl.h"
#include "core/import/nsight/nsight_processes.h"
#include "core/import/nsight/nsight_tracks.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace core {

/// Reads what host threads called: CUDA's runtime and driver, libraries, MPI, the operating
/// system; and the profiler's own cost.
class NsightHostReader
{
public:
    NsightHostReader(NsightContext &context, NsightWorkers &workers, NsightTracks &tracks)
        : m_context(context)
        , m_workers(workers)
        , m_tracks(tracks)
    {
    }

    /// Tells `nccl` of every runtime call.
    void read(NsightNccl &nccl);

private:
    struct CallTable
    {
        std::string_view name;
        std::string_view nameColumn;
        Category category;
        TrackKind track;
        std::string_view what; ///< see NsightTracks::thread()
    };

    void readRuntime(NsightNccl &nccl);
    NameId runtimeName(std::optional<std::int64_t> stringId);
    void readCalls(const CallTable &table);
    void addCall(const CallTable &table, const NsightRow &row);
    void readMpi(std::string_view table);
    void addMpiCall(std::string_view table, const NsightRow &row);

    NsightContext &m_context;
    NsightWorkers &m_workers;
    NsightTracks &m_tracks;
    std::unordered_map<std::int64_t, NameId> m_runtimeNames; ///< by StringIds number
};

} // namespace core
