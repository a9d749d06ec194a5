#include "core/project/skipped_records.h"

namespace core {

std::vector<SkippedRecords> skippedRecords(const ProjectInfo &info, const SourceFile &file)
{
    std::vector<SkippedRecords> skipped;
    if (file.status != FileStatus::Read) {
        std::uint64_t events = 0;
        for (const auto &[category, count] : file.eventsByCategory)
            events += count;
        if (events > 0)
            skipped.push_back({ {}, file.reason, events, {} });
        return skipped;
    }
    for (const Diagnostic &diagnostic : info.diagnostics)
        if (diagnostic.file == file.name && diagnostic.losesRecords)
            skipped.push_back(
                { diagnostic.code, diagnostic.message, diagnostic.count, diagnostic.firstOffset });
    return skipped;
}

} // namespace core
