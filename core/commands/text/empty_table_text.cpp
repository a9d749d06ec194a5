#include "core/commands/text/empty_table_text.h"

#include "core/base/ascii_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

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

    /// Lower case; what is between them is left out.
    std::vector<std::string> wordsOf(const std::string &sql)
    {
        std::vector<std::string> words(1);
        for (const char c : lowered(sql))
            if (c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0)
                words.back() += c;
            else if (!words.back().empty())
                words.emplace_back();
        return words;
    }

    bool isReadFrom(const std::string &sql, std::string_view table)
    {
        const std::vector<std::string> words = wordsOf(sql);
        return std::adjacent_find(words.begin(), words.end(),
                                  [table](const std::string &before, const std::string &word) {
                                      return word == table
                                          && (before == "from" || before == "join");
                                  })
            != words.end();
    }

} // namespace

std::string emptyTableText(const ProjectReader &project, const std::string &sql,
                           const JobControl &control)
{
    std::string text;
    for (const RecordedTable &table : Tables) {
        const std::string name(table.name);
        if (isReadFrom(sql, table.name)
            && project.query("SELECT 1 FROM " + name, 1, control).rows.empty())
            text += "'" + name + "' has no rows: " + std::string(table.reason) + ".\n";
    }
    return text;
}

} // namespace core
