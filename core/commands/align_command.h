#pragma once

#include "core/commands/command.h"

#include <filesystem>

namespace core {

class AlignCommand : public Command
{
public:
    std::string_view name() const override { return "align"; }
    std::string_view summary() const override
    {
        return "Clock offset of each rank, and how well they fit";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::filesystem::path m_project;
    bool m_json = false;
};

} // namespace core
