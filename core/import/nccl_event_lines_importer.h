#pragma once

#include "core/import/importer.h"

namespace core {

/// JSON lines of a NCCL profiler plug-in that writes every event when it ends
/// (`"recordType":"event","type":"ncclProfileColl"`), with states and CUPTI kernel records between
/// them. One file may have all ranks of a process. Memory is bounded by 100000 collectives whose
/// kernel was not yet read. See core/import/README.md.
class NcclEventLinesImporter : public Importer
{
public:
    std::string_view name() const override { return "nccl-event-lines"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
