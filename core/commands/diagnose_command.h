#pragma once

#include "core/commands/command.h"

#include <filesystem>

namespace core {

class DiagnoseCommand : public Command
{
public:
    std::string_view name() const override { return "diagnose"; }
    std::string_view summary() const override
    {
        return "Where the time goes: breakdowns, critical path, ranked bottlenecks";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::filesystem::path m_project;
    bool m_json = false;
    bool m_isVerbose = false;
};

} // namespace core
