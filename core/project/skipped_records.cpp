#include "core/project/skipped_records.h"

#include <algorithm>

namespace core {

namespace {

    bool hasDiagnostic(const ProjectInfo &info, const SourceFile &file,
                       bool (*isMeant)(const Diagnostic &))
    {
        return std::any_of(info.diagnostics.begin(), info.diagnostics.end(),
                           [&](const Diagnostic &diagnostic) {
                               return diagnostic.file == file.name && isMeant(diagnostic);
                           });
    }

} // namespace

std::uint64_t eventsOf(const SourceFile &file)
{
    std::uint64_t events = 0;
    for (const auto &[category, count] : file.eventsByCategory)
        events += count;
    return events;
}

bool isCut(const ProjectInfo &info, const SourceFile &file)
{
    return file.status == FileStatus::Read
        && hasDiagnostic(info, file, [](const Diagnostic &diagnostic) {
               return diagnostic.code == "unreadable-rest"
                   || (diagnostic.code == "truncated-file" && diagnostic.losesRecords);
           });
}

std::vector<SkippedRecords> skippedRecords(const ProjectInfo &info, const SourceFile &file)
{
    std::vector<SkippedRecords> skipped;
    if (file.status != FileStatus::Read) {
        const bool isThere = hasDiagnostic(info, file, [](const Diagnostic &diagnostic) {
            return diagnostic.code == "already-imported";
        });
        const std::uint64_t events = eventsOf(file);
        if (events > 0 && !isThere)
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
