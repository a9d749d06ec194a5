#pragma once

#include <filesystem>
#include <string>

namespace accuracy {

/// Writes every prediction on every bundle below `data` (testbed/* and each folder of real with
/// files whose name has `only` in it) into `file`, one line each, so that two builds can be
/// compared with diff: the unchanged replay, each setting with two values, and combinations.
void dumpPredictions(const std::filesystem::path &data, const std::filesystem::path &file,
                     const std::string &only);

} // namespace accuracy
