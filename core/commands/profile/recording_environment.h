#pragma once

#include "core/commands/profile/collector_files.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

using Environment = std::map<std::string, std::string>;

/// What `longpole profile` was asked for.
struct RecordingOptions
{
    std::filesystem::path folder; ///< the bundle's, absolute
    std::optional<unsigned> iterations, warmup; ///< absent: as the program or the recorder says
    bool withMemory = false;
    bool withExecutionTrace = false;
};

/// This process's own environment.
Environment ownEnvironment();

/// The process's rank as a launcher gave it to this very process; absent where this one starts the
/// job.
std::optional<int> rankOfLauncher(const Environment &own);

/// Whether BytePS is told its place in the job by this environment.
bool isBytePs(const Environment &own);

/// What the job runs in: its own environment, and what makes the frameworks record into the
/// bundle. Variables of other tools that are set already stay, so that theirs go on working.
Environment recordingEnvironment(const Environment &own, const CollectorFiles &collectors,
                                 const RecordingOptions &options);

/// What is and what is not recorded on this machine, and why; one line each.
std::vector<std::string> recordingAbilities(const Environment &own,
                                            const CollectorFiles &collectors, bool hasNvidiaDriver);

/// Whether the NVIDIA driver's library can be loaded here.
bool hasNvidiaDriver();

} // namespace core
