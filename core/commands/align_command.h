#pragma once

#include "core/commands/command.h"

#include <filesystem>
#include <string>
#include <vector>

namespace core {

struct ClockChange;
struct ProjectInfo;

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
    std::vector<ClockChange> changes(const ProjectInfo &info) const;

    std::filesystem::path m_project;
    std::vector<std::string> m_offsets; ///< RANK=NS
    std::vector<std::string> m_resets; ///< ranks; one empty word: all
    bool m_json = false;
};

} // namespace core
