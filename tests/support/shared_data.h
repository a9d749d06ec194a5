#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace tests {

/// The folder of real traces that large tests read: $LONGPOLE_SHARED, else the folder `shared`
/// beside the source tree, else none. A test that needs it skips itself by name:
///     const auto shared = tests::sharedData();
///     if (!shared) QSKIP("needs the shared traces: set LONGPOLE_SHARED");
inline std::optional<std::filesystem::path> sharedData()
{
    const char *fromEnvironment = std::getenv("LONGPOLE_SHARED");
    const std::filesystem::path folder = fromEnvironment != nullptr && *fromEnvironment != '\0'
        ? std::filesystem::path(fromEnvironment)
        : std::filesystem::path(LONGPOLE_SOURCE_DIR) / ".." / "shared";
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder / "data", ignored)) {
        return std::nullopt;
    }
    return folder;
}

} // namespace tests
