#pragma once

#include "core/commands/command.h"
#include "core/commands/strategy_option.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace core {

class GraphCommand : public Command
{
public:
    std::string_view name() const override { return "graph"; }
    std::string_view summary() const override
    {
        return "Draws the data-flow graph of an iteration: SVG, PNG, DOT, GraphML";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::string textOf(const CommandIo &io) const;

    std::filesystem::path m_project;
    std::filesystem::path m_output;
    std::string m_level = "phases";
    std::string m_arrangement = "time";
    std::string m_ranks;
    std::optional<std::int64_t> m_iteration;
    int m_width = 1600;
    bool m_isDark = false, m_showsAlike = false, m_mayOverwrite = false;
    StrategyOption m_strategy;
};

} // namespace core
