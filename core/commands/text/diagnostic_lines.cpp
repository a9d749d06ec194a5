#include "core/commands/text/diagnostic_lines.h"

#include "core/base/byte_text.h"
#include "core/base/printable_text.h"
#include "core/base/sentence.h"

#include <map>
#include <string_view>
#include <tuple>

namespace core {

namespace {

    /// Diagnostics that say the same.
    struct Group
    {
        const Diagnostic *first = nullptr;
        std::size_t files = 0;
        std::uint64_t count = 0;
    };

    using Key = std::tuple<Severity, std::string_view, std::string_view, bool>;

    std::string lineOf(const Group &group)
    {
        const Diagnostic &first = *group.first;
        std::string line = std::string(severityName(first.severity)) + ": " + first.file;
        if (group.files > 1)
            line += " and " + std::to_string(group.files - 1) + " more "
                + (group.files == 2 ? "file" : "files");
        else if (!first.file.empty() && first.firstOffset)
            line += " at " + byteText({ first.file, first.firstOffset });
        line += (first.file.empty() ? "" : ": ") + sentence(first.message);
        if (group.count > group.files)
            line += " (" + std::to_string(group.count) + " times"
                + (group.files > 1 ? " in these files)" : ")");
        return oneLine(line);
    }

} // namespace

std::vector<std::string> diagnosticLines(const std::vector<Diagnostic> &diagnostics)
{
    std::vector<Group> groups;
    std::map<Key, std::size_t> known;
    for (const Diagnostic &diagnostic : diagnostics) {
        const Key key { diagnostic.severity, diagnostic.code, diagnostic.message,
                        diagnostic.file.empty() };
        const auto [place, isNew] = known.emplace(key, groups.size());
        if (isNew)
            groups.push_back({ &diagnostic, 0, 0 });
        Group &group = groups[place->second];
        ++group.files;
        group.count += diagnostic.count;
    }
    std::vector<std::string> lines;
    lines.reserve(groups.size());
    for (const Group &group : groups)
        lines.push_back(lineOf(group));
    return lines;
}

} // namespace core
