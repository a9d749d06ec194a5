#include "core/project/unfinished_import.h"

#include <algorithm>

namespace core {

namespace {

    /// In `property`: one input a line. Present and empty in a project that was just created.
    constexpr std::string_view Key = "import.unfinished";

    std::vector<std::string> linesOf(const std::string &text)
    {
        std::vector<std::string> lines;
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t end = std::min(text.find('\n', from), text.size());
            if (end > from)
                lines.push_back(text.substr(from, end - from));
            from = end + 1;
        }
        return lines;
    }

    void write(Database &db, const std::vector<std::string> &inputs)
    {
        std::string text;
        for (const std::string &input : inputs)
            text += (text.empty() ? "" : "\n") + input;
        Statement(db, "REPLACE INTO property VALUES (?, ?)")
            .bindAll(Key, std::string_view(text))
            .run();
    }

} // namespace

std::string UnfinishedImport::message() const
{
    std::string files;
    for (const std::string &input : inputs)
        files += " " + input;
    return "The import of" + (files.empty() ? " this project's files" : files)
        + " was interrupted, or still runs. What it had read is here; the rest is missing. To go "
          "on, import the same files once more with --append.";
}

std::optional<UnfinishedImport> readUnfinishedImport(Database &db)
{
    Statement select(db, "SELECT value FROM property WHERE key = ?");
    if (!select.bindAll(Key).step())
        return std::nullopt;
    return UnfinishedImport { linesOf(select.text(0)) };
}

void markUnfinishedImport(Database &db, const std::vector<std::string> &inputs)
{
    std::vector<std::string> all = readUnfinishedImport(db).value_or(UnfinishedImport()).inputs;
    for (const std::string &input : inputs)
        if (std::find(all.begin(), all.end(), input) == all.end())
            all.push_back(input);
    write(db, all);
}

void clearUnfinishedImport(Database &db, const std::vector<std::string> &inputs)
{
    const auto unfinished = readUnfinishedImport(db);
    if (!unfinished)
        return;
    std::vector<std::string> left = unfinished->inputs;
    std::erase_if(left, [&inputs](const std::string &input) {
        return std::find(inputs.begin(), inputs.end(), input) != inputs.end();
    });
    if (left.empty())
        Statement(db, "DELETE FROM property WHERE key = ?").bindAll(Key).run();
    else
        write(db, left);
}

} // namespace core
