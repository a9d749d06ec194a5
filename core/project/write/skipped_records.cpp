#include "core/project/write/skipped_records.h"

#include "core/base/byte_text.h"

#include <algorithm>

namespace core {

namespace {

    /// What the codes of diagnostics begin with that count records which are no errors, but which
    /// nothing shows.
    constexpr std::string_view NotShownCode = "not-shown";

    bool tellsOfCut(const Diagnostic &diagnostic)
    {
        return diagnostic.code == "unreadable-rest"
            || (diagnostic.code == "truncated-file" && diagnostic.losesRecords);
    }

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
    return file.status == FileStatus::Read && hasDiagnostic(info, file, tellsOfCut);
}

std::optional<std::uint64_t> cutAt(const ProjectInfo &info, const SourceFile &file)
{
    std::optional<std::uint64_t> at;
    for (const Diagnostic &diagnostic : info.diagnostics)
        if (diagnostic.file == file.name && tellsOfCut(diagnostic) && diagnostic.firstOffset)
            at = std::min(at.value_or(*diagnostic.firstOffset), *diagnostic.firstOffset);
    return at;
}

std::string fileStatusText(const ProjectInfo &info, const SourceFile &file)
{
    if (file.status == FileStatus::Read)
        return isCut(info, file) ? "cut off" : "read";
    const bool isWrong = file.status == FileStatus::Failed
        || hasDiagnostic(info, file, [](const Diagnostic &diagnostic) {
                             return diagnostic.severity != Severity::Info;
                         });
    return isWrong ? "not imported" : "left out";
}

std::string fileReasonText(const ProjectInfo &info, const SourceFile &file)
{
    if (!isCut(info, file))
        return file.reason;
    const auto at = cutAt(info, file);
    return at ? "Read to " + byteText({ file.name, at }) + "; the rest is missing."
              : "The rest is missing.";
}

std::vector<LostRecords> lostRecords(const ProjectInfo &info)
{
    std::vector<LostRecords> lost;
    for (const SourceFile &file : info.files) {
        if (file.status != FileStatus::Read)
            continue;
        std::uint64_t count = 0;
        for (const Diagnostic &diagnostic : info.diagnostics)
            if (diagnostic.file == file.name && diagnostic.severity == Severity::Error
                && diagnostic.losesRecords && !tellsOfCut(diagnostic))
                count += diagnostic.count;
        if (count > 0)
            lost.push_back({ file.ranks, count });
    }
    return lost;
}

std::uint64_t notShownOf(const ProjectInfo &info, const SourceFile &file)
{
    std::uint64_t count = 0;
    if (file.status == FileStatus::Read)
        for (const Diagnostic &diagnostic : info.diagnostics)
            if (diagnostic.file == file.name && diagnostic.code.starts_with(NotShownCode))
                count += diagnostic.count;
    return count;
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
