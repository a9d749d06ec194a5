#pragma once

#include "core/import/importer.h"

namespace core {

/// JSON lines of a NCCL profiler plug-in that writes every event when it ends
/// (`"recordType":"event","type":"ncclProfileColl"`), with states and CUPTI kernel records between
/// them. One file may have all ranks of a process. Memory holds the collectives whose kernel was
/// not yet read, as far as the import may.
///
/// JSON lines of single events (`nccl_event_lines_importer`; a plug-in of the field that also
/// records kernels): a kernel that has one collective is that collective's slice, tied by
/// `extCorrId`; else its kernel channels are. The kernels' `gpuUuid` is the same for all devices of
/// a process, so a kernel's rank is that of its launch.
///
/// The files:
/// - nccl_event_line: a record taken apart
/// - nccl_event_lines_reader: record -> slice; collectives by their kernels
/// - nccl_pending_collectives, nccl_line_launches, nccl_communicator_sizes: what is remembered for
///   records that come later, bounded
class NcclEventLinesImporter : public Importer
{
public:
    std::string_view name() const override { return "nccl-event-lines"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
