#pragma once

#include "core/project/read/project_reader.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace core {

/// One file of the input as `longpole info --json` and `longpole import --json` print it.
nlohmann::ordered_json fileJson(const ProjectInfo &info, const SourceFile &file);

/// Records of a file that were not kept.
std::uint64_t skippedOf(const ProjectInfo &info, const SourceFile &file);

/// Workers of whose activities times are recorded.
std::set<WorkerId> workersWithTimes(const ProjectInfo &info);

/// Of which ranks' activities no times are recorded, and what to do; empty where there are none.
std::string timelessText(const ProjectInfo &info);

/// Ranks without events of their own, with the rank that has theirs: some formats hold several
/// ranks in a file and do not tell them apart in every record, so that all are counted for one of
/// them.
std::map<int, int> ranksCountedFor(const ProjectInfo &info);

/// "8614 events from 2 files (3 were left out, 20 are not on the timeline)": those of the files
/// that the project holds.
std::string headline(const ProjectInfo &info);

} // namespace core
