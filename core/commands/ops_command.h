#pragma once

#include "core/analyze/report/op_table.h"
#include "core/commands/command.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// The table of the window's Operations page: same rows, same figures.
class OpsCommand : public Command
{
public:
    std::string_view name() const override { return "ops"; }
    std::string_view summary() const override
    {
        return "Operations of the whole trace by name or input shapes: own time, count, p50, p95";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    std::filesystem::path m_project;
    OpTableFilter m_filter;
    std::string m_by = "name";
    std::string m_kind; ///< empty: all but annotations
    std::string m_sort = "own";
    std::optional<std::size_t> m_limit; ///< 0: all rows
    bool m_csv = false;
    bool m_json = false;
};

/// Sorts by "own", "count", "p50", "p95" or "longest", largest first. Rows that are equal in it
/// keep their order. Throws UsageError for another word.
void sortOpRows(std::vector<OpTableRow> &rows, const std::string &column);

/// Rows of the kinds whose words begin so (opKindsNamed()); of the empty word all but annotations,
/// as these cover what they mark. Throws UsageError where there are none.
std::vector<OpTableRow> opRowsOfKind(std::vector<OpTableRow> rows, const std::string &word);

} // namespace core
