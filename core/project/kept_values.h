#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// Text that a window keeps in a project under a key of its own ("timeline"); absent: none is
/// kept. Throws Error.
std::optional<std::string> keptValue(const std::filesystem::path &project, std::string_view key);

/// Keeps a text in place of the one before, in one transaction. Throws Error where there is no such
/// project or it cannot be written.
void keepValue(const std::filesystem::path &project, std::string_view key, std::string_view text);

/// The same of bytes, at most 256 MB, which are kept compressed. Throws Error, also where they are
/// damaged.
std::optional<std::string> keptBytes(const std::filesystem::path &project, std::string_view key);
void keepBytes(const std::filesystem::path &project, std::string_view key, std::string_view bytes);

/// Tells what is imported into a project, and its clocks, from any other: a hash of the small
/// tables that every import and every change of a clock writes. Throws Error.
std::uint64_t contentStamp(const std::filesystem::path &project);

} // namespace core
