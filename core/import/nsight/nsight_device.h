#pragma once

#include "core/import/nsight/nsight_context.h"
#include "core/import/nsight/nsight_kernel_names.h"
#include "core/import/nsight/nsight_nccl.h"
#include "core/import/nsight/nsight_processes.h"
#include "core/import/nsight/nsight_tracks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Reads what ran on GPUs: kernels, copies, sets, whole graphs, and allocations of their memory.
class NsightDeviceReader
{
public:
    NsightDeviceReader(NsightContext &context, NsightWorkers &workers, NsightTracks &tracks,
                       NsightKernelNames &names, const NsightNccl &nccl)
        : m_context(context)
        , m_workers(workers)
        , m_tracks(tracks)
        , m_names(names)
        , m_nccl(nccl)
    {
    }

    void read();

private:
    /// What every table of device activities has, in its first columns.
    struct Activity
    {
        TimeRange range;
        TrackId track;
        NsightProcess process = 0;
        std::uint64_t correlation = 0;
    };

    void readTable(std::string_view table, std::vector<std::string_view> columns,
                   void (NsightDeviceReader::*add)(const NsightRow &, const Activity &));
    std::optional<Activity> activityOf(std::string_view table, const NsightRow &row);
    void addKernel(const NsightRow &row, const Activity &activity);
    void addCopy(const NsightRow &row, const Activity &activity);
    void addSet(const NsightRow &row, const Activity &activity);
    void addGraph(const NsightRow &row, const Activity &activity);
    void addSlice(const Activity &activity, SliceRecord &record);
    void readMemory();
    void addMemory(const NsightRow &row);
    bool describeCollective(const NsightKernelName &name, const Activity &activity,
                            CollectiveInfo &collective, std::uint64_t &bytes);

    NsightContext &m_context;
    NsightWorkers &m_workers;
    NsightTracks &m_tracks;
    NsightKernelNames &m_names;
    const NsightNccl &m_nccl;
    std::string m_args, m_group; ///< of the row that is being read
};

} // namespace core
