#pragma once

#include "core/commands/command.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace core {

class OptimizeCommand : public Command
{
public:
    std::string_view name() const override { return "optimize"; }
    std::string_view summary() const override
    {
        return "Searches for the strategy with the shortest iteration, and writes it to a file";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::string originText() const;

    std::filesystem::path m_project, m_output;
    std::filesystem::path m_start; ///< a strategy file; empty: the job as it is
    std::vector<std::string> m_passes, m_allowed, m_settings;
    double m_seconds = 30;
    std::optional<double> m_memoryGib;
    std::uint64_t m_seed = 0;
    bool m_mayOverwrite = false, m_json = false, m_isVerbose = false;
};

} // namespace core
