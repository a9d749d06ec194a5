#pragma once

#include "core/change/change.h"
#include "core/change/measured_job.h"
#include "core/commands/command.h"
#include "core/model/trace.h"

#include <filesystem>
#include <string>
#include <vector>

namespace core {

/// Changes among the words of `--set`: all but `gradient_sizes`, which states what is so.
std::vector<std::string> changeWords(std::vector<std::string> words);
/// Facts of the job that the words state. Throws UsageError.
StatedJob statedJobIn(const std::vector<std::string> &words);

/// `--set KEY=VALUE` and `--strategy FILE` of a command.
class StrategyOption
{
public:
    /// `meaning`: what the command does with a strategy, as "predict this what-if".
    void declare(CLI::App &app, const std::string &meaning);

    /// Whether there is a change.
    bool isGiven() const { return !changeWords(m_settings).empty() || !m_file.empty(); }
    /// "bucket_cap_mb=5, comm_scale=2", or the name of the file; empty where none is given.
    std::string text() const;
    StatedJob stated() const { return statedJobIn(m_settings); }
    /// Throws UsageError where `--set` is wrong: before anything is read.
    void check() const;
    /// The file's changes, with those of `--set` in place of what they contradict. What of the file
    /// was passed over goes to `io.err`. Throws Error, and UsageError.
    Strategy strategy(const MeasuredJob &job, const CommandIo &io) const;

private:
    std::vector<std::string> m_settings;
    std::filesystem::path m_file;
};

} // namespace core
