#pragma once

#include "core/import/importer.h"

namespace core {

/// Timelines of Horovod (HOROVOD_TIMELINE) and of BlueFog, whose format derives from it; see
/// core/import/README.md for what becomes of them.
class HorovodImporter : public Importer
{
public:
    std::string_view name() const override { return "horovod"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
