#pragma once

#include "core/import/importer.h"

namespace core {

/// Output of NCCL's Inspector plug-in: one JSON object a line for every collective, send and
/// receive that ended. Only records with event_trace_ts (NCCL_INSPECTOR_DUMP_VERBOSE=1) say when:
/// dump_timestamp_us is when the record was written, up to a dump interval later. The others are
/// counted. Constant memory.
///
/// Formats 4.0 to 4.2 repeat header and metadata in every record. Since 4.3 they stand once, in the
/// marker (dump_stats) before a communicator's records, which says how many these are. What the
/// markers say was dropped is told.
///
/// readJsonLines() takes it apart; NcclRanks tells which of a process's devices a communicator's
/// rank is. Slices are those of NcclProfilerImporter; collectives match by communicator, function
/// and `coll_sn`.
class NcclInspectorImporter : public Importer
{
public:
    std::string_view name() const override { return "nccl-inspector"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
