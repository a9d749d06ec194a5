#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/predictor.h"
#include "core/project/read/project_reader.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace core {

constexpr std::size_t DefaultMemoryLimitMib = 1024, SmallestMemoryLimitMib = 128;

struct ImportOptions
{
    bool append = false;
    std::map<std::string, int> ranks; ///< FILE -> rank, as the user states it: see StatedRanks
    unsigned jobs = 0; ///< files read at the same time; 0: as many as the machine has cores
    std::size_t memoryLimitMib = DefaultMemoryLimitMib; ///< at least SmallestMemoryLimitMib
};

struct ImportReport
{
    std::size_t filesRead = 0;
    /// That the project had already: same name, size and time, or the same content.
    std::size_t filesKnown = 0;
    std::uint64_t eventsTotal = 0;
    std::vector<Diagnostic> diagnostics; ///< of this import; the project has those of earlier ones
    bool hasSkippedInput = false; ///< see skipsInput()
};

/// Whether a part of the input was left out for what a diagnostic tells: it is wrong, or there is
/// more of it than is kept ("too-many-collectives").
bool skipsInput(const Diagnostic &diagnostic);

/// bundle -> importers -> project -> iterations -> alignment; clocks that are set by hand stay.
/// Throws Error if nothing could be imported, or another import into the project is running. An
/// import that fails before its first file is added, and one that is cancelled, leave no file
/// behind that was not there before, and a project untouched to which nothing was to be added. One
/// that fails later (the disk or the memory is full), and a cancelled append, keep the files that
/// were read whole, and the project says that the import is unfinished: the same import with
/// `append` goes on from there.
ImportReport importBundle(const std::vector<std::filesystem::path> &inputs,
                          const std::filesystem::path &project, const ImportOptions &options,
                          const JobControl &control);

/// Gives up the rest of an import that was interrupted: what the project holds is looked at as at
/// an import's end, and is all of it then. Throws as giveUpUnfinishedImport(), and Cancelled.
void discardImportRest(const std::filesystem::path &project, const JobControl &control);

/// What every analysis of an opened project starts from.
struct LoadedProject
{
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Graph> graph;
};

/// project -> trace -> global data-flow graph. `given`: what the user states of the job; it counts
/// before meta.json.
LoadedProject loadProject(const std::filesystem::path &project, const JobControl &control,
                          const StatedJob &given = {});

/// How a predictor reads shapes and allocations of an opened project. Refers to both arguments.
PredictorSources sourcesOf(const ProjectReader &reader, const Trace &trace);

/// What predicts the project's job; reads shapes and allocations by `reader` where a strategy needs
/// them. Refers to both arguments. Throws Error where nothing can be replayed; Cancelled.
Predictor predictorOf(const LoadedProject &project, const ProjectReader &reader,
                      const JobControl &control);

} // namespace core
