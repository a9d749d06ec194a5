#pragma once

#include "core/commands/command.h"

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
    std::vector<std::string> m_settings;
    bool m_mayOverwrite = false;
};

} // namespace core
