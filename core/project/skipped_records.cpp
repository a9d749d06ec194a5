#include "core/project/skipped_records.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace core {

namespace {

    /// Warnings that leave their record out; what an error counts is left out, with the exceptions
    /// below.
    constexpr std::array<std::string_view, 13> LosingWarnings = { "not-an-event",
                                                                  "unknown-phase",
                                                                  "end-without-begin",
                                                                  "unknown-record",
                                                                  "lost-time",
                                                                  "no-end",
                                                                  "no-time",
                                                                  "no-times",
                                                                  "no-device-time",
                                                                  "impossible-record-time",
                                                                  "too-many-events",
                                                                  "too-many-collectives",
                                                                  "too-many-clock-pairs" };

    /// Of a whole file that came later under the name of one that was read.
    constexpr std::array<std::string_view, 4> OfWholeFiles
        = { "duplicate-rank", "other-clock", "unknown-rank", "unreadable-file" };

    template <std::size_t Size>
    bool contains(const std::array<std::string_view, Size> &codes, std::string_view code)
    {
        return std::find(codes.begin(), codes.end(), code) != codes.end();
    }

    bool losesRecords(const Diagnostic &diagnostic)
    {
        if (contains(OfWholeFiles, diagnostic.code))
            return false;
        // It loses the record at its end, unless it ended between two.
        if (diagnostic.code == "truncated-file"
            && diagnostic.message.find("Everything that is in the file was read")
                != std::string::npos)
            return false;
        return diagnostic.severity == Severity::Error || diagnostic.code == "truncated-file"
            || contains(LosingWarnings, diagnostic.code);
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
