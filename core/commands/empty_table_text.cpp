#include "core/commands/empty_table_text.h"

#include "core/base/ascii_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace core {

namespace {

    /// What traces need not have.
    struct RecordedTable
    {
        std::string_view name, reason;
    };

    constexpr std::array Tables {
        RecordedTable { "memory",
                        "no allocations are recorded (torch.profiler: profile_memory=True)" },
        RecordedTable { "dependency",
                        "no dependencies between operations are recorded (an execution trace has "
                        "them)" },
    };

    /// Whether a word of the query is the name.
    bool isNamedIn(const std::string &sql, std::string_view name)
    {
        const auto isPart
            = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
        const std::string text = lowered(sql);
        auto at = text.begin();
        while ((at = std::search(at, text.end(), name.begin(), name.end())) != text.end()) {
            const auto end = at + static_cast<std::ptrdiff_t>(name.size());
            if ((at == text.begin() || !isPart(*(at - 1))) && (end == text.end() || !isPart(*end)))
                return true;
            at = end;
        }
        return false;
    }

} // namespace

std::string emptyTableText(const ProjectReader &project, const std::string &sql,
                           const JobControl &control)
{
    std::string text;
    for (const RecordedTable &table : Tables) {
        const std::string name(table.name);
        if (isNamedIn(sql, table.name)
            && project.query("SELECT 1 FROM " + name, 1, control).rows.empty())
            text += "'" + name + "' has no rows: " + std::string(table.reason) + ".\n";
    }
    return text;
}

} // namespace core
