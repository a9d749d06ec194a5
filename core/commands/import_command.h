#pragma once

#include "core/commands/command.h"
#include "core/pipeline/pipeline.h"

#include <filesystem>
#include <string>
#include <vector>

namespace core {

class ImportCommand : public Command
{
public:
    std::string_view name() const override { return "import"; }
    std::string_view summary() const override { return "Reads traces into a project file"; }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    int discardRest(const CommandIo &io);

    std::vector<std::filesystem::path> m_inputs;
    std::filesystem::path m_project;
    std::vector<std::string> m_ranks; ///< FILE=N
    unsigned m_jobs = 0; ///< 0: not given
    std::size_t m_memoryLimitMib = DefaultMemoryLimitMib;
    bool m_append = false;
    bool m_discardRest = false;
    bool m_json = false;
};

} // namespace core
