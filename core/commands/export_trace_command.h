#pragma once

#include "core/commands/command.h"
#include "core/commands/strategy_option.h"

#include <filesystem>
#include <string>
#include <vector>

namespace core {

class ExportTraceCommand : public Command
{
public:
    std::string_view name() const override { return "export-trace"; }
    std::string_view summary() const override
    {
        return "Measured or predicted timeline as Chrome trace JSON";
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
