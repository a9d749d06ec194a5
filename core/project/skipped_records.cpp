#include "core/project/skipped_records.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace core {

namespace {

    /// Warnings that leave their record out; what an error counts is left out always.
    constexpr std::array<std::string_view, 12> LosingWarnings = { "not-an-event",
                                                                  "unknown-phase",
                                                                  "end-without-begin",
                                                                  "unknown-record",
                                                                  "lost-time",
                                                                  "no-end",
                                                                  "no-times",
                                                                  "no-device-time",
                                                                  "truncated-file",
                                                                  "too-many-events",
                                                                  "too-many-collectives",
                                                                  "too-many-clock-pairs" };

    bool losesRecords(const Diagnostic &diagnostic)
    {
        return diagnostic.severity == Severity::Error
            || std::find(LosingWarnings.begin(), LosingWarnings.end(), diagnostic.code)
            != LosingWarnings.end();
    }

} // namespace

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
        if (diagnostic.file == file.name && losesRecords(diagnostic))
            skipped.push_back(
                { diagnostic.code, diagnostic.message, diagnostic.count, diagnostic.firstOffset });
    return skipped;
}

} // namespace core
