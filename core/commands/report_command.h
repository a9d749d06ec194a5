#pragma once

#include "core/commands/command.h"
#include "core/commands/strategy_option.h"

#include <filesystem>

namespace core {

class ReportCommand : public Command
{
public:
    std::string_view name() const override { return "report"; }
    std::string_view summary() const override
    {
        return "Verdict, gains, what-ifs, ranks and timeline on pages to take away: HTML or PDF";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::filesystem::path m_project;
    std::filesystem::path m_output;
    StrategyOption m_strategy;
    bool m_mayOverwrite = false;
};

} // namespace core
