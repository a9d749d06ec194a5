#pragma once

#include "core/import/category_counts.h"
#include "core/import/nccl/nccl_communicator_sizes.h"
#include "core/import/nccl/nccl_event_line.h"
#include "core/import/nccl/nccl_line_launches.h"
#include "core/import/nccl/nccl_pending_collectives.h"
#include "core/import/nccl/nccl_ranks.h"
#include "core/import/row_cache.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace core {

/// Gives the records of a file of NCCL's events, a line each, to a sink.
class NcclEventLinesReader
{
public:
    /// The sink must outlive the reader.
    NcclEventLinesReader(TraceSink &sink, const std::string &file);
    NcclEventLinesReader(const NcclEventLinesReader &) = delete;
    NcclEventLinesReader &operator=(const NcclEventLinesReader &) = delete;

    void addLine(std::string_view text, std::uint64_t offset);
    /// After the last line: collectives without a kernel of their own, counts, ranks.
    void finish();

private:
    WorkerId workerOf(const NcclEventLine &line, bool isActivity);
    void addEvent(const NcclEventLine &line);
    void addHostCall(const NcclEventLine &line);
    void addCollective(const NcclEventLine &line);
    void addKernelChannel(const NcclEventLine &line);
    void addActivity(const NcclEventLine &line);
    void describe(const NcclPendingCollective &collective, CollectiveInfo &info,
                  SliceRecord &record) const;
    void emitCollective(const NcclPendingCollective &collective);
    void store(const NcclEventLine &line, const TrackSpec &spec, const std::string &rowName,
               const std::string &name, SliceRecord record);

    TraceSink &m_sink;
    std::string m_file;
    NcclRanks m_ranks;
    WorkerId m_worker; ///< of the current line
    NcclCommunicatorSizes m_sizes;
    NcclLineLaunches m_launches;
    NcclPendingCollectives m_pending;
    std::map<WorkerId, CategoryCounts> m_counts;
    RowCache m_rows;
    std::uint64_t m_states = 0;
};

} // namespace core
