#include "ui/help/help_pages.h"

#include <QFile>

#include <utility>

// Q_INIT_RESOURCE works in the global namespace only.
static void initializeHelp()
{
    Q_INIT_RESOURCE(help);
}

namespace ui {

namespace {

    const std::pair<const char *, const char *> pages[] {
        { "index", "resources/help/index.md" },
        { "window", "resources/help/window.md" },
        { "timeline", "resources/help/timeline.md" },
        { "formats", "resources/help/formats.md" },
        { "import", "resources/help/import.md" },
        { "clocks", "resources/help/clocks.md" },
        { "graph", "resources/help/graph.md" },
        { "what-ifs", "resources/help/what-ifs.md" },
        { "schedules", "resources/help/schedules.md" },
        { "strategies", "resources/help/strategies.md" },
        { "config-files", "resources/help/config-files.md" },
        { "search-speed", "resources/help/search-speed.md" },
        { "compare-runs", "resources/help/compare-runs.md" },
        { "pictures", "resources/help/pictures.md" },
        { "trust", "resources/help/trust.md" },
        { "accuracy", "resources/help/accuracy.md" },
        { "command-line", "resources/help/command-line.md" },
        { "recording", "collectors/RECORDING.md" },
        { "glossary", "resources/help/glossary.md" },
    };

    /// Workspace and page; all others have the start page.
    const std::pair<const char *, const char *> pagesOfWorkspaces[] {
        { "summary", "window" },
        { "timeline", "timeline" },
        { "graph", "graph" },
        { "compare", "what-ifs" },
        { "strategies", "strategies" },
        { "import", "import" },
        { "clocks", "clocks" },
        { "ops", "window" },
        { "sql", "window" },
    };

    QString firstHeading(const QString &path)
    {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            return {};
        const QString line = QString::fromUtf8(file.readLine()).trimmed();
        return line.startsWith(QLatin1String("# ")) ? line.mid(2) : QString();
    }

} // namespace

QList<HelpPage> helpPages()
{
    initializeHelp();
    QList<HelpPage> found;
    for (const auto &[id, file] : pages)
        found.append({ QLatin1String(id), QUrl(QLatin1String("qrc:/") + QLatin1String(file)),
                       firstHeading(QLatin1String(":/") + QLatin1String(file)) });
    return found;
}

QString helpPageOf(const QString &workspaceId)
{
    for (const auto &[workspace, page] : pagesOfWorkspaces)
        if (workspaceId == QLatin1String(workspace))
            return QLatin1String(page);
    return QLatin1String("index");
}

} // namespace ui
