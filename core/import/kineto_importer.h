#pragma once

#include "core/import/importer.h"

namespace core {

/// Traces of torch.profiler (Kineto), of all versions and accelerators, and bare lists of such
/// events. Reads in one pass, in constant memory; see core/import/README.md.
class KinetoImporter : public Importer
{
public:
    std::string_view name() const override { return "kineto"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
