#pragma once

#include "core/project/read/project_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Records of a source file that are not in the project, for one reason.
struct SkippedRecords
{
    std::string
        code; ///< of the diagnostic that counts them; empty where the whole file was refused
    std::string reason; ///< for people
    std::uint64_t count = 0;
    std::optional<std::uint64_t> firstOffset; ///< of the first of them
};

/// Its records, also those of a file that was refused.
std::uint64_t eventsOf(const SourceFile &file);

/// Whether the end of a file that was read is missing: how many records were there is not known.
bool isCut(const ProjectInfo &info, const SourceFile &file);

/// The byte (of the uncompressed data) up to which a file that isCut() was read; absent: not known.
std::optional<std::uint64_t> cutAt(const ProjectInfo &info, const SourceFile &file);

/// What became of a file, for people, the same words wherever files are listed: "read"; "cut off"
/// (see isCut()); "not imported" where something is wrong with it; "left out" where it is no trace.
std::string fileStatusText(const ProjectInfo &info, const SourceFile &file);

/// Why not all of the file is in the project, one sentence; empty where all is, or nothing says
/// why.
std::string fileReasonText(const ProjectInfo &info, const SourceFile &file);

/// What of `file` was not kept, by reason: of a file that was read the records that its
/// diagnostics count as lost (a truncated one loses the record at its end; how many followed is
/// not known, see isCut()); of a file that was read but refused (its rank is known already) all of
/// them, but none where the project has them from another file.
/// Records that were kept with a remark are not skipped, nor is a file without records.
std::vector<SkippedRecords> skippedRecords(const ProjectInfo &info, const SourceFile &file);

/// Records of a file that was read that are counted but that nothing shows: they are
/// not among skippedRecords().
std::uint64_t notShownOf(const ProjectInfo &info, const SourceFile &file);

/// The damaged records within each file that was read. Not those of a cut end (isCut()): iterations
/// without it are left out; nor what the tool that recorded left out itself.
std::vector<LostRecords> lostRecords(const ProjectInfo &info);

} // namespace core
