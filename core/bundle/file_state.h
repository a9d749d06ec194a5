#pragma once

#include "core/base/diagnostics.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace core {

/// What tells whether a file on disk is still the one that it was.
struct FileState
{
    std::uint64_t sizeBytes = 0;
    std::int64_t modifiedNs = 0; ///< when it was last written, since 1970; see isTimeClamped
    std::uint64_t inode = 0; ///< differs where another file took its name
    bool isTimeClamped = false; ///< written after 2262 or before 1677: modifiedNs is the nearest
};

/// Follows links. Throws std::filesystem::filesystem_error if the file cannot be looked at.
FileState stateOf(const std::filesystem::path &file);

/// The warning "impossible-file-time" for a file whose time is clamped; nothing else is wrong.
std::optional<Diagnostic> clampedTime(const FileState &state, const std::filesystem::path &file);

/// What has happened to a file since it was in the state `before`: the diagnostic "file-changed",
/// an error where it was written to or replaced, a warning where it is gone (a file that is open
/// can be read on). Absent if its size and time are the same: some network file systems number a
/// file anew whenever it is looked at.
std::optional<Diagnostic> changeSince(const FileState &before, const std::filesystem::path &file);

/// The warning "file-changed" for a file that is gone before it could be listed: it was temporary.
Diagnostic goneBeforeListed(const std::filesystem::path &file);

} // namespace core
