#pragma once

#include "core/import/importer.h"

namespace core {

/// Timelines of BytePS (BYTEPS_TRACE_DIR/<local rank>/comm.json): the synchronisation of every
/// tensor with its stages, one file a local rank.
///
/// BytePS and ByteScheduler (`byteps_importer`, `bytescheduler_importer`): the whole
/// synchronisation of a tensor (BytePS: the row "total", queueing included; ByteScheduler:
/// COMMUNICATION) is the collective, on a row of the tensor. Stages and queues are annotations;
/// PUSH and PULL are transfers between the host's root GPU and the servers, whose channel is the
/// partition's key and whose transaction has tensor, direction and round.
class BytePsImporter : public Importer
{
public:
    std::string_view name() const override { return "byteps"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
