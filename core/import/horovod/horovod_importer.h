#pragma once

#include "core/import/importer.h"

namespace core {

/// Timelines of Horovod (HOROVOD_TIMELINE) and of BlueFog, whose format derives from it.
///
/// The rules (horovod_timeline, horovod_collectives):
/// - The rows of the tensors are annotations; collectives lie on a row of their own. Tensors whose
///   transfers run together are one collective of several tensors.
/// - Only rank 0 writes, but it notes when each rank was ready. So every rank named there gets its
///   part of the collective, from when it was ready for all tensors until rank 0 has the result, on
///   rank 0's clock. Where ready times are missing (Horovod's response cache), rank 0's transfer
///   alone is the collective.
/// - A timeline in a numbered folder (`host0/1/comm.json`) is of that rank only.
class HorovodImporter : public Importer
{
public:
    std::string_view name() const override { return "horovod"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
