#pragma once

#include "core/change/change.h"
#include "core/change/measured_job.h"
#include "core/measure/part_times.h"
#include "core/measure/trust_level.h"
#include "core/optimize/search.h"
#include "core/predict/prediction.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// One step of a search on the way to a strategy.
struct StrategyStep
{
    std::string pass, change, reason;
    std::int64_t beforeNs = 0, afterNs = 0; ///< predicted iteration without and with it
};

/// The steps that led to a candidate: those that were the best so far, of its own pass or contained
/// in it, and its own.
std::vector<StrategyStep> stepsTo(const SearchResult &result, const Candidate &candidate);

/// Content of a strategy file.
struct StrategyFile
{
    Strategy strategy;
    std::vector<std::string> explanation; ///< sentences
    std::vector<StrategyStep> steps; ///< that led to it
    /// Remarks: members that this version does not know, and another job that it was made for.
    std::vector<std::string> notes;
};

/// Origin that a strategy file states.
struct StrategyOrigin
{
    std::string command; ///< "optimize --seed 1"; without the paths of files
    std::uint64_t seed = 0;
};

/// A strategy that a search found as JSON text, schema "longpole-strategy", version 1
/// (resources/help/strategies.md). The same search gives the same bytes. Null: its changes are
/// those of the environment.
std::string strategyText(const SearchResult &result, const Candidate *chosen,
                         const MeasuredJob &job, const StrategyOrigin &origin);

/// Figures of a prediction, which its strategy file states.
struct StrategyFigures
{
    std::int64_t iterationNs = 0, unchangedNs = 0; ///< predicted with and without the strategy
    std::optional<std::pair<std::int64_t, std::int64_t>> ci95Ns; ///< of iterationNs
    std::optional<TrustLevel> trust;
    std::optional<PartTimes> parts; ///< predicted, mean over ranks; without waits
    std::optional<std::uint64_t> peakMemoryBytes; ///< of the fullest device
};

/// Those of a prediction; `peakMemoryBytes` where it is known.
StrategyFigures figuresOf(const Prediction &result, std::optional<std::uint64_t> peakMemoryBytes);
/// Those that the text of a strategy file states; empty where it states none.
std::optional<StrategyFigures> figuresIn(const std::string &text);

/// A strategy that was set by hand as the text of a strategy file.
std::string strategyText(const Strategy &strategy, const StrategyFigures &figures,
                         const MeasuredJob &job, const StrategyOrigin &origin);

/// Reads a strategy file for this job. Throws Error naming file, member and remedy: the file is no
/// strategy, of a newer version, or says which tensors travel together of a job that has others.
StrategyFile readStrategyFile(const std::filesystem::path &file, const MeasuredJob &job);

/// The same, with the changes of `settings` in place of what they contradict. Throws UsageError
/// where both together are a contradiction.
StrategyFile readStrategy(const std::filesystem::path &file, const Strategy &settings,
                          const MeasuredJob &job);

/// The file's content from its text; `name` stands for the file in messages.
StrategyFile parseStrategyFile(const std::string &text, const std::string &name,
                               const MeasuredJob &job);

} // namespace core
