#pragma once

#include "collectors/format/records.h"
#include "core/import/importer.h"

#include <array>

namespace core {

/// What Longpole's own collectors record (collectors/format). There is one importer a collector,
/// since a rank's process may run several of them: each writes its own file about the same rank.
///
/// Reads the entry twice: first what records refer to (RecordedNames: texts, external ids,
/// communicators; these may come late), then the records (RecordedTranslator). Memory is bounded by
/// the texts (64 MiB) and 8 million correlations. Nodes and edges of CUDA
/// graphs are counted only. NCCL slices
/// are those of NcclProfilerImporter; a step's states are slices of their own and carry the
/// transfer where the data moves.
class RecordedImporter : public Importer
{
public:
    static constexpr std::array Collectors
        = { collectors::CollectorCupti, collectors::CollectorNvtx, collectors::CollectorNccl,
            collectors::CollectorFramework };

    explicit RecordedImporter(collectors::CollectorKind collector)
        : m_collector(collector)
    {
    }

    std::string_view name() const override;
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;

private:
    collectors::CollectorKind m_collector;
};

} // namespace core
