#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace core {

/// The inputs of an import as the project is to name them: relative paths lead to their files from
/// the project's folder. As given where that is the current folder, else absolute.
std::vector<std::filesystem::path> namedFromProject(std::vector<std::filesystem::path> inputs,
                                                    const std::filesystem::path &project);

/// The part of a source's name that may tell its rank: below the current folder only what the
/// user typed, not the folders that lead to it.
std::string nameThatTellsRank(const std::string &name);

} // namespace core
