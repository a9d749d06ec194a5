#include "tests/architecture/include_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace tests {

namespace {

    struct Include
    {
        int line = 0;
        std::string path;
        bool isQuoted = false;
    };

    /// A header that only some folders may include.
    struct WrappedLibrary
    {
        std::string_view headerPrefix; ///< the header's path starts with this
        std::string_view allowedFolder; ///< only files below this folder include it
        std::string_view reason;
    };

    constexpr std::array wrappedLibraries {
        WrappedLibrary { "sqlite3", "core/sqlite", "SQLite is wrapped by core/sqlite" },
        WrappedLibrary { "quazip", "core/bundle", "QuaZip is wrapped by core/bundle" },
        WrappedLibrary { "JlCompress", "core/bundle", "QuaZip is wrapped by core/bundle" },
        WrappedLibrary { "zlib.h", "core/bundle", "zlib is wrapped by core/bundle" },
        WrappedLibrary { "zstd", "core/project", "zstd is wrapped by core/project" },
        WrappedLibrary { "Eigen/", "core/align", "Eigen is wrapped by core/align" },
        WrappedLibrary { "QtConcurrent", "ui/jobs", "work runs in a Job of ui/jobs" },
        WrappedLibrary { "QPromise", "ui/jobs", "work runs in a Job of ui/jobs" },
        WrappedLibrary { "QtTest", "tests", "Qt Test is for tests" },
        WrappedLibrary { "benchmark/", "tests", "Google Benchmark is for tests/bench" },
    };

    bool startsWith(std::string_view text, std::string_view prefix)
    {
        return text.substr(0, prefix.size()) == prefix;
    }

    /// True for the folder itself and everything below it; "" holds everything.
    bool isBelow(std::string_view path, std::string_view folder)
    {
        return folder.empty() || path == folder || startsWith(path, std::string(folder) + "/");
    }

    std::string_view trimmed(std::string_view text)
    {
        const std::size_t first = text.find_first_not_of(" \t\r");
        if (first == std::string_view::npos) {
            return {};
        }
        return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
    }

    std::optional<Include> parseInclude(std::string_view line, int number)
    {
        line = trimmed(line);
        if (!startsWith(line, "#")) {
            return std::nullopt;
        }
        line = trimmed(line.substr(1));
        if (!startsWith(line, "include")) {
            return std::nullopt;
        }
        line = trimmed(line.substr(7));
        if (line.empty() || (line.front() != '"' && line.front() != '<')) {
            return std::nullopt;
        }
        const std::size_t end = line.find(line.front() == '"' ? '"' : '>', 1);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        return Include { number, std::string(line.substr(1, end - 1)), line.front() == '"' };
    }

    std::vector<Include> parseIncludes(std::string_view content)
    {
        std::vector<Include> includes;
        int number = 0;
        while (!content.empty()) {
            const std::size_t end = std::min(content.find('\n'), content.size());
            if (const auto include = parseInclude(content.substr(0, end), ++number)) {
                includes.push_back(*include);
            }
            content.remove_prefix(std::min(end + 1, content.size()));
        }
        return includes;
    }

    /// <QString>, <QtGui/QColor>, <qglobal.h>
    bool isQtHeader(const Include &include)
    {
        const std::string &path = include.path;
        if (include.isQuoted || path.size() < 2) {
            return false;
        }
        const bool isLowerCaseHeader = path[0] == 'q' && path.find('/') == std::string::npos
            && path.size() > 2 && path.substr(path.size() - 2) == ".h";
        return isLowerCaseHeader
            || (path[0] == 'Q'
                && (path[1] == 't' || std::isupper(static_cast<unsigned char>(path[1])) != 0));
    }

    /// Headers that core/bundle may use: those of Qt6::Core.
    bool isQtCoreHeader(const Include &include)
    {
        static const std::set<std::string> known {
            "QByteArray",  "QBuffer",        "QCoreApplication", "QDateTime",     "QDir",
            "QFile",       "QFileInfo",      "QIODevice",        "QIODeviceBase", "QList",
            "QSaveFile",   "QScopedPointer", "QSharedPointer",   "QString",       "QStringList",
            "QStringView", "QTemporaryDir",  "QTemporaryFile",   "QTextStream",   "QVector",
            "QtEndian",    "QtGlobal",
        };
        return startsWith(include.path, "QtCore/") || known.contains(include.path);
    }

    /// The module that a file belongs to: the longest folder of the edges above it.
    std::optional<std::string> moduleOf(const std::string &file, const ModuleEdges &edges)
    {
        std::optional<std::string> best;
        for (const auto &[folder, depends] : edges) {
            if (isBelow(file, folder) && (!best || folder.size() > best->size())) {
                best = folder;
            }
        }
        return best;
    }

    /// "summary" for ui/views/summary/..., "" for anything else.
    std::string viewOf(const std::string &path)
    {
        constexpr std::string_view views = "ui/views/";
        if (!startsWith(path, views)) {
            return {};
        }
        const std::size_t end = path.find('/', views.size());
        return end == std::string::npos ? std::string()
                                        : path.substr(views.size(), end - views.size());
    }

    bool isProjectHeader(const std::string &path)
    {
        static constexpr std::array<std::string_view, 5> folders { "core", "ui", "app",
                                                                   "collectors", "tests" };
        return std::any_of(folders.begin(), folders.end(),
                           [&](std::string_view folder) { return isBelow(path, folder); });
    }

    bool isGenerated(const std::string &path)
    {
        return startsWith(path, "moc_") || startsWith(path, "ui_") || path.ends_with(".moc");
    }

    std::optional<std::string> brokenTopLevelRule(const std::string &file, const std::string &path)
    {
        if (isBelow(path, "tests")) {
            return "only tests may include tests";
        }
        if (isBelow(path, "app")) {
            return isBelow(file, "app") ? std::nullopt
                                        : std::optional<std::string>("nothing includes app");
        }
        if (isBelow(file, "core") && isBelow(path, "ui")) {
            return "core never includes ui";
        }
        if (isBelow(file, "collectors") && !isBelow(path, "collectors")) {
            return "collectors run inside the training process: they include collectors only";
        }
        if (isBelow(path, "collectors") && !isBelow(path, "collectors/format")
            && !isBelow(file, "collectors")) {
            return "only collectors/format is shared with the collectors";
        }
        return std::nullopt;
    }

    std::optional<std::string> brokenViewRule(const std::string &file, const std::string &path)
    {
        const std::string from = viewOf(file);
        const std::string to = viewOf(path);
        if (to.empty() || from == to) {
            return std::nullopt;
        }
        if (!from.empty()) {
            return "a view never includes another view: talk through Session";
        }
        if (!startsWith(file, "ui/views/")) {
            return "only ui/views/view_list.cpp names a particular view";
        }
        return std::nullopt;
    }

    std::optional<std::string> brokenEdgeRule(const std::string &file, const std::string &path,
                                              const ModuleEdges &edges)
    {
        if (isBelow(file, "app")) {
            return std::nullopt; // app may include all
        }
        const auto from = moduleOf(file, edges);
        const auto to = moduleOf(path, edges);
        if (!from) {
            return "the file is in no module: add_module() its folder";
        }
        if (!to) {
            return "the header is in no module: add_module() its folder";
        }
        if (*from != *to && !edges.at(*from).contains(*to)) {
            return *from + " does not name " + *to + " in DEPENDS";
        }
        return std::nullopt;
    }

    std::optional<std::string> brokenProjectRule(const std::string &file, const Include &include,
                                                 const ModuleEdges &edges)
    {
        if (isGenerated(include.path)) {
            return std::nullopt;
        }
        if (!isProjectHeader(include.path)) {
            return "quoted includes start at the root of the source tree: \"core/graph/graph.h\"";
        }
        if (const auto broken = brokenTopLevelRule(file, include.path)) {
            return broken;
        }
        if (const auto broken = brokenViewRule(file, include.path)) {
            return broken;
        }
        return brokenEdgeRule(file, include.path, edges);
    }

    std::optional<std::string> brokenLibraryRule(const std::string &file, const Include &include)
    {
        for (const WrappedLibrary &library : wrappedLibraries) {
            if (!startsWith(include.path, library.headerPrefix)) {
                continue;
            }
            if (isBelow(file, library.allowedFolder)) {
                return std::nullopt;
            }
            return std::string(library.reason) + "; no other folder includes it";
        }
        if (!isQtHeader(include)) {
            return std::nullopt;
        }
        if (isBelow(file, "collectors")) {
            return "collectors use no Qt";
        }
        if (isBelow(file, "core") && !isBelow(file, "core/bundle")) {
            return "core uses no Qt outside core/bundle";
        }
        if (isBelow(file, "core") && !isQtCoreHeader(include)) {
            return "core/bundle may use Qt6::Core only: write <QtCore/...> if it is from there";
        }
        return std::nullopt;
    }

} // namespace

std::string Violation::text() const
{
    return file + ":" + std::to_string(line) + ": " + rule;
}

ModuleEdges parseModuleEdges(std::string_view text)
{
    ModuleEdges edges;
    std::istringstream lines { std::string(text) };
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) {
            continue;
        }
        std::istringstream depends(line.substr(colon + 1));
        std::set<std::string> &to = edges[line.substr(0, colon)];
        to.insert(std::istream_iterator<std::string>(depends), {});
    }
    return edges;
}

std::vector<Violation> checkIncludes(const std::string &file, std::string_view content,
                                     const ModuleEdges &edges)
{
    std::vector<Violation> violations;
    if (isBelow(file, "tests")) {
        return violations;
    }
    for (const Include &include : parseIncludes(content)) {
        auto broken = brokenLibraryRule(file, include);
        if (!broken && include.isQuoted) {
            broken = brokenProjectRule(file, include, edges);
        }
        if (broken) {
            violations.push_back({ file, include.line, include.path + ": " + *broken });
        }
    }
    return violations;
}

std::vector<std::string> sourceFiles(const std::filesystem::path &root)
{
    std::vector<std::string> files;
    for (const char *top : { "app", "collectors", "core", "tests", "ui" }) {
        for (const auto &entry : std::filesystem::recursive_directory_iterator(root / top)) {
            const std::string extension = entry.path().extension().string();
            if (entry.is_regular_file()
                && (extension == ".h" || extension == ".cpp" || extension == ".c")) {
                files.push_back(entry.path().lexically_relative(root).generic_string());
            }
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string readFile(const std::filesystem::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw std::runtime_error("cannot read " + file.string());
    }
    return { std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>() };
}

} // namespace tests
