#pragma once

#include <filesystem>

namespace core {

/// Whether there is something at the path; links are followed. Throws Error with a remedy where
/// that cannot be told: a folder above it may not be entered, the name is too long.
bool fileExists(const std::filesystem::path &path);

} // namespace core
