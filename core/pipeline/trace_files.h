#pragma once

#include "core/base/diagnostics.h"
#include "core/bundle/bundle.h"
#include "core/import/importer.h"
#include "core/model/trace.h"
#include "core/pipeline/named_ranks.h"
#include "core/project/read/project_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// A file of a bundle that an importer recognised.
struct TraceFile
{
    std::size_t index = 0; ///< into Bundle::items()
    const Importer *importer = nullptr;
    bool isDamaged = false; ///< its beginning shows it; reading the file tells why
    std::optional<NamedRank> named; ///< its rank, where it states none itself
};

/// What a bundle holds, found by looking at the first Importer::HeadSize bytes of each file.
struct SortedBundle
{
    std::vector<TraceFile> traces;
    std::vector<JobMetadata> metadata; ///< the job's own description (meta.json)
    std::vector<SourceFile> others; ///< files that no importer takes, with the reason
};

/// Looks at every file of a bundle. What is no trace is counted in `diagnostics` with what it seems
/// to be.
SortedBundle sortBundle(const Bundle &bundle, Diagnostics &diagnostics, const JobControl &control);

} // namespace core
