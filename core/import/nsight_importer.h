#pragma once

#include "core/import/importer.h"

namespace core {

/// SQLite exports of Nsight Systems (nsys export --type sqlite), schemas 2.9 to 3.25; see
/// core/import/README.md.
class NsightImporter : public Importer
{
public:
    std::string_view name() const override { return "nsight"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
