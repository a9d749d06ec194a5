#pragma once

#include "core/change/change.h"
#include "core/change/measured_job.h"
#include "core/optimize/search.h"

#include <filesystem>
#include <string>
#include <vector>

namespace core {

/// Content of a strategy file.
struct StrategyFile
{
    Strategy strategy;
    /// Remarks: members that this version does not know, and another job that it was made for.
    std::vector<std::string> notes;
};

/// Origin that a strategy file states.
struct StrategyOrigin
{
    std::string command; ///< "optimize --seed 1"; without the paths of files
    std::uint64_t seed = 0;
};

/// The advised strategy of a search as JSON text, schema "longpole-strategy", version 1
/// (resources/help/strategies.md). The same search gives the same bytes. Without an advised one
/// its changes are those of the environment.
std::string strategyText(const SearchResult &result, const MeasuredJob &job,
                         const StrategyOrigin &origin);

/// Reads a strategy file for this job. Throws Error naming file, member and remedy: the file is no
/// strategy, of a newer version, or says which tensors travel together of a job that has others.
StrategyFile readStrategyFile(const std::filesystem::path &file, const MeasuredJob &job);

/// The same of its text; `name` stands for the file in messages.
StrategyFile parseStrategyFile(const std::string &text, const std::string &name,
                               const MeasuredJob &job);

} // namespace core
