#pragma once

#include "core/commands/command.h"

#include <filesystem>
#include <string>

namespace core {

class ExportCommand : public Command
{
public:
    std::string_view name() const override { return "export"; }
    std::string_view summary() const override
    {
        return "Writes a strategy as a config file that a training job takes";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::filesystem::path m_project, m_strategy, m_output;
    std::string m_target;
    bool m_mayOverwrite = false;
};

} // namespace core
