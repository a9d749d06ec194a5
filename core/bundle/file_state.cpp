#include "core/bundle/file_state.h"

#include "core/bundle/shown_name.h"

#include <QtCore/QDateTime>

#include <sys/stat.h>

#include <cerrno>
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

} // namespace

FileState stateOf(const std::filesystem::path &file)
{
    struct stat found = {};
    if (::stat(file.c_str(), &found) != 0)
        throw std::filesystem::filesystem_error("stat", file, { errno, std::generic_category() });
    return { static_cast<std::uint64_t>(found.st_size),
             std::int64_t { found.st_mtim.tv_sec } * NsPerSecond + found.st_mtim.tv_nsec,
             found.st_ino };
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
