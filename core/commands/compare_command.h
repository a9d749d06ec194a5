#pragma once

#include "core/commands/command.h"
#include "core/commands/strategy_option.h"

#include <filesystem>

namespace core {

/// `longpole compare P Q [--strategy FILE] [--set KEY=VALUE]... [--json]`.
class CompareCommand : public Command
{
public:
    std::string_view name() const override { return "compare"; }
    std::string_view summary() const override
    {
        return "Compares a later run with an earlier one, and with what a strategy promised";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::filesystem::path m_earlier, m_later;
    StrategyOption m_strategy;
    bool m_json = false;
};

} // namespace core
