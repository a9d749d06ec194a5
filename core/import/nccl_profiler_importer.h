#pragma once

#include "core/import/importer.h"

namespace core {

/// The JSON dump of the example profiler plug-in that comes with NCCL (2.23 and later): begin and
/// end records of collectives, sends and receives, their kernel channels and network steps. Memory
/// is bounded by what belongs to one group of NCCL calls. See core/import/README.md.
class NcclProfilerImporter : public Importer
{
public:
    std::string_view name() const override { return "nccl-profiler"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
