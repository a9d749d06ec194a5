#pragma once

#include "core/analyze/diagnosis.h"
#include "core/pipeline/pipeline.h"
#include "core/project/sql/collective_times.h"

#include <filesystem>
#include <vector>

namespace core {

/// The project's collectives, matched across ranks (collectiveReports()). None where its traces are
/// of several jobs: ranks of one do not wait for those of another. Throws Cancelled.
std::vector<CollectiveReport> collectivesOf(const LoadedProject &loaded, const JobControl &control);

/// The same for queries (ProjectReader::offerCollectiveTimes()). What is not `loaded` yet is loaded
/// from `project`, when it is asked for.
CollectiveTimesSource collectiveTimesOf(const std::filesystem::path &project,
                                        const LoadedProject &loaded = {});

/// Asks `source` once, whoever calls it first and from whichever thread; what it threw is asked for
/// again.
CollectiveTimesSource computedOnce(CollectiveTimesSource source);

} // namespace core
