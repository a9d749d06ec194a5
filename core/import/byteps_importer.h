#pragma once

#include "core/import/importer.h"

namespace core {

/// Timelines of BytePS (BYTEPS_TRACE_DIR/<local rank>/comm.json): the synchronisation of every
/// tensor with its stages, one file a local rank; see core/import/README.md.
class BytePsImporter : public Importer
{
public:
    std::string_view name() const override { return "byteps"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
