#pragma once

#include "core/commands/command.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace core {

class QueryCommand : public Command
{
public:
    std::string_view name() const override { return "query"; }
    std::string_view summary() const override { return "Read-only SQL over the project"; }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::filesystem::path m_project;
    std::string m_sql;
    std::optional<std::size_t> m_maxRows; ///< 0: all
    bool m_csv = false;
    bool m_json = false;
};

} // namespace core
