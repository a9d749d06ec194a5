#include "core/pipeline/unknown_files.h"

#include "core/bundle/file_name.h"
#include "core/import/rank_from_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace core {

namespace {

    std::string_view withoutGz(std::string_view path)
    {
        if (path.ends_with(".gz"))
            path.remove_suffix(3);
        return path;
    }

    /// "run/rank12.json.gz" is "run/rank#.json".
    std::string shapeOf(std::string_view path)
    {
        std::string shape;
        for (const char c : withoutGz(path)) {
            const bool isDigit = std::isdigit(static_cast<unsigned char>(c)) != 0;
            if (!isDigit || shape.empty() || shape.back() != '#')
                shape += isDigit ? '#' : c;
        }
        return shape;
    }

    bool endsAsTrace(std::string_view path)
    {
        constexpr std::array<std::string_view, 5> Suffixes
            = { ".json", ".jsonl", ".pb", ".et", ".sqlite" };
        return std::any_of(Suffixes.begin(), Suffixes.end(), [&](std::string_view suffix) {
            return withoutGz(path).ends_with(suffix);
        });
    }

} // namespace

Diagnostic unreadableFile(const SourcePosition &where, const std::string &message)
{
    return { "unreadable-file", Severity::Error, 1, where.file, where.offset, message, false };
}

UnknownFiles::UnknownFiles(const std::vector<std::string> &traces)
{
    for (const std::string &name : traces) {
        m_shapes.push_back(shapeOf(name));
        if (const auto rank = rankFromWords(fileName(name)))
            m_ranks.push_back(*rank);
    }
    std::sort(m_shapes.begin(), m_shapes.end());
    std::sort(m_ranks.begin(), m_ranks.end());
}

bool UnknownFiles::isNamedAsTrace(const std::string &name) const
{
    if (std::binary_search(m_shapes.begin(), m_shapes.end(), shapeOf(name)))
        return true;
    const auto rank = rankFromWords(fileName(name));
    return endsAsTrace(name) && rank && !std::binary_search(m_ranks.begin(), m_ranks.end(), *rank);
}

void UnknownFiles::count(const BundleItem &item, const UnknownFile &file, Diagnostics &diagnostics)
{
    const std::string &name = item.name;
    if (file.isTrace && file.isEmpty) {
        diagnostics.count("empty-trace", Severity::Error, { name, {} }, file.message);
    } else if (file.isTrace) {
        diagnostics.count("unsupported-format", Severity::Error, { name, {} }, file.message);
    } else if (isNamedAsTrace(name)) {
        diagnostics.add(unreadableFile({ name, {} }, file.message));
    } else if (item.isNamed && !file.belongsToTraces) {
        diagnostics.add(
            { "not-a-trace", Severity::Error, 1, name, {}, file.message, /*losesRecords=*/false });
    } else if (file.isEmpty && endsAsTrace(name)) {
        diagnostics.count("empty-file", Severity::Warning, { name, {} }, file.message);
    } else if (m_told < MostTold) {
        ++m_told;
        diagnostics.count("not-a-trace", Severity::Info, { name, {} }, file.message);
    } else {
        diagnostics.count(FurtherFilesCode, Severity::Info, {},
                          "Further files are no traces, either. Each is listed with what it is: "
                          "longpole query PROJECT \"SELECT name, reason FROM source_file\".");
    }
}

} // namespace core
