#pragma once

#include "core/project/project_reader.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace core {

/// One file of the input as `longpole info --json` and `longpole import --json` print it.
nlohmann::ordered_json fileJson(const ProjectInfo &info, const SourceFile &file);

/// Records of a file that were not kept.
std::uint64_t skippedOf(const ProjectInfo &info, const SourceFile &file);

/// "8614 events from 2 files (3 were left out)": those of the files that the project holds.
std::string headline(const ProjectInfo &info);

} // namespace core
