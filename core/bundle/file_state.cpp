#include "core/bundle/file_state.h"

#include "core/bundle/shown_name.h"

#include <QtCore/QDateTime>

#include <sys/stat.h>

#include <cerrno>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

namespace core {

namespace {

    constexpr std::int64_t NsPerSecond = 1'000'000'000, NsPerMs = 1'000'000;

    /// "1234 bytes, written 2026-01-31T12:00:00.000Z"
    std::string stateText(const FileState &state)
    {
        const QDateTime written
            = QDateTime::fromMSecsSinceEpoch(state.modifiedNs / NsPerMs, Qt::UTC);
        return std::to_string(state.sizeBytes) + " bytes, written "
            + written.toString(Qt::ISODateWithMs).toStdString();
    }

    Diagnostic changed(Severity severity, const std::filesystem::path &file,
                       const std::string &message)
    {
        Diagnostics found;
        found.count("file-changed", severity, { shownPath(file), std::nullopt }, message);
        return found.list().front();
    }

    /// Nanoseconds since 1970; absent: more than 64 bits hold.
    std::optional<std::int64_t> nsOf(std::int64_t seconds, std::int64_t ns)
    {
        constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max() / NsPerSecond - 1;
        if (seconds < -Most || seconds > Most)
            return std::nullopt;
        return seconds * NsPerSecond + ns;
    }

} // namespace

FileState stateOf(const std::filesystem::path &file)
{
    struct stat found = {};
    if (::stat(file.c_str(), &found) != 0)
        throw std::filesystem::filesystem_error("stat", file, { errno, std::generic_category() });
    using Limits = std::numeric_limits<std::int64_t>;
    const auto modifiedNs = nsOf(found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
    return { static_cast<std::uint64_t>(found.st_size),
             modifiedNs.value_or(found.st_mtim.tv_sec > 0 ? Limits::max() : Limits::min()),
             found.st_ino, !modifiedNs };
}

std::optional<Diagnostic> clampedTime(const FileState &state, const std::filesystem::path &file)
{
    if (!state.isTimeClamped)
        return std::nullopt;
    Diagnostics found;
    found.count("impossible-file-time", Severity::Warning, { shownPath(file), std::nullopt },
                "was last written in a year that cannot be (after 2262 or before 1677); the "
                "nearest possible time is taken for it. Set the clock of the machine that wrote "
                "it; touch gives the file another time.");
    return found.list().front();
}

Diagnostic goneBeforeListed(const std::filesystem::path &file)
{
    return changed(Severity::Warning, file,
                   "was removed or renamed while its folder was listed, and was not read. If it is "
                   "there under another name now, add it with longpole import --append.");
}

std::optional<Diagnostic> changeSince(const FileState &before, const std::filesystem::path &file)
{
    FileState now;
    try {
        now = stateOf(file);
    } catch (const std::filesystem::filesystem_error &error) {
        return changed(Severity::Warning, file,
                       "can no longer be found (" + error.code().message()
                           + "): the file was removed or renamed while it was imported. What was "
                             "read before is kept.");
    }
    if (now.sizeBytes == before.sizeBytes && now.modifiedNs == before.modifiedNs)
        return std::nullopt;
    return changed(
        Severity::Error, file,
        std::string(now.inode == before.inode ? "was written to" : "was replaced by another file")
            + " while it was imported: first " + stateText(before) + "; afterwards "
            + stateText(now)
            + ". What was read of it may lack records or mix both. Wait until the "
              "program that writes it has ended, or copy the file, and import it into "
              "a new project.");
}

} // namespace core
