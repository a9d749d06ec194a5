#pragma once

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

} // namespace core
