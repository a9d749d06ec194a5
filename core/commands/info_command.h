#pragma once

#include "core/commands/command.h"

#include <filesystem>

namespace core {

class InfoCommand : public Command
{
public:
    std::string_view name() const override { return "info"; }
    std::string_view summary() const override
    {
        return "What was imported, and every diagnostic with its count";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::filesystem::path m_project;
    bool m_json = false;
};

} // namespace core
