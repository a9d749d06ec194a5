#pragma once

#include "core/change/change.h"
#include "core/change/measured_job.h"
#include "core/commands/command.h"

#include <filesystem>
#include <string>
#include <vector>

namespace core {

/// `--set KEY=VALUE` and `--strategy FILE` of a command.
class StrategyOption
{
public:
    /// `meaning`: what the command does with a strategy, as "predict this what-if".
    void declare(CLI::App &app, const std::string &meaning);

    bool isGiven() const { return !m_settings.empty() || !m_file.empty(); }
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
