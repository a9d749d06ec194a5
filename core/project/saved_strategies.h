#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace core {

/// A strategy that the user keeps in a project.
struct SavedStrategy
{
    std::int64_t id = 0; ///< 0: it gets one when it is saved
    std::string name;
    std::string file; ///< text of a strategy file

    bool operator==(const SavedStrategy &) const = default;
};

/// All of a project, in the order in which they were first saved. Throws Error.
std::vector<SavedStrategy> savedStrategies(const std::filesystem::path &project);

/// Adds a strategy, or replaces that of its id; gives its id. Throws Error where there is no such
/// project or it cannot be written.
std::int64_t saveStrategy(const std::filesystem::path &project, const SavedStrategy &strategy);

/// Puts these, which have their ids, in place of all of a project. Throws Error, as above.
void replaceStrategies(const std::filesystem::path &project,
                       const std::vector<SavedStrategy> &strategies);

/// Forgets a strategy; nothing happens where there is none of that id. Throws Error, as above.
void removeStrategy(const std::filesystem::path &project, std::int64_t id);

} // namespace core
