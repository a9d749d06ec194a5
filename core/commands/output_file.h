#pragma once

#include <filesystem>
#include <string_view>

namespace core {

/// Throws Error where `file` cannot be written as asked because it is a folder; the message
/// proposes `example` as the name of a file in it.
void refuseFolder(const std::filesystem::path &file, std::string_view example);

/// Throws Error where `file` is there and is nothing that an export from `project` may replace: a
/// device, a project, a trace that this one was imported from.
void refuseIrreplaceable(const std::filesystem::path &file, const std::filesystem::path &project);

/// The file that a link leads to; else `file` itself.
std::filesystem::path linkTarget(const std::filesystem::path &file);

/// Throws Error where `file` is there already, unless it may be overwritten.
void refuseExisting(const std::filesystem::path &file, bool mayOverwrite);

/// Writes a small file whole. Throws Error where that fails.
void writeFile(const std::filesystem::path &file, std::string_view text);

} // namespace core
