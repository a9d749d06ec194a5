#pragma once

#include "core/import/importer.h"

namespace core {

/// Timelines of ByteScheduler's core: one row a tensor, with INIT, PULL and PUSH_PULL tasks as a
/// QUEUE and a COMMUNICATION part each.
///
/// The rules are those of BytePsImporter.
class ByteSchedulerImporter : public Importer
{
public:
    std::string_view name() const override { return "bytescheduler"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
