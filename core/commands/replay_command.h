#pragma once

#include "core/commands/command.h"
#include "core/commands/strategy_option.h"

#include <filesystem>
#include <string>

namespace core {

class ReplayCommand : public Command
{
public:
    std::string_view name() const override { return "replay"; }
    std::string_view summary() const override
    {
        return "Predicted iteration time and peak memory beside the measured ones; with --set a "
               "what-if";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::filesystem::path m_project;
    StrategyOption m_strategy;
    std::string m_order;
    bool m_json = false;
    bool m_isVerbose = false;
};

} // namespace core
