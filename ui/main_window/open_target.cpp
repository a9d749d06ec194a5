#include "ui/main_window/open_target.h"

#include "core/project/project_file.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>

namespace ui {

namespace {

    /// "rank0.pt.trace.json.gz" -> "rank0".
    QString bundleName(const QFileInfo &bundle)
    {
        QString name = bundle.fileName();
        if (bundle.isDir())
            return name;
        for (const char *suffix :
             { ".gz", ".zip", ".json", ".trace", ".pt", ".sqlite", ".pb", ".xplane", ".et" }) {
            const QLatin1String text(suffix);
            if (name.size() > text.size() && name.endsWith(text, Qt::CaseInsensitive))
                name.chop(text.size());
        }
        return name;
    }

    QDateTime newestChange(const QString &input)
    {
        const QFileInfo info(input);
        QDateTime newest = info.lastModified();
        if (!info.isDir())
            return newest;
        const auto look = [&newest](const QString &folder, QDir::Filters filters) {
            const auto entries = QDir(folder).entryInfoList(filters | QDir::NoDotAndDotDot);
            for (const QFileInfo &entry : entries)
                newest = std::max(newest, entry.lastModified());
            return entries;
        };
        const auto entries = look(input, QDir::Files | QDir::Dirs);
        for (const QFileInfo &entry : entries) {
            if (entry.isDir())
                look(entry.filePath(), QDir::Files);
        }
        return newest;
    }

} // namespace

QString projectPathFor(const QStringList &inputs, const QString &fallbackFolder)
{
    const QFileInfo first(QDir::cleanPath(QFileInfo(inputs.front()).absoluteFilePath()));
    // Several ranks' files of one folder are called like the folder.
    const QString name = inputs.size() > 1 ? first.absoluteDir().dirName() : bundleName(first);
    const bool isWritable = QFileInfo(first.absolutePath()).isWritable();
    const QString folder = isWritable ? first.absolutePath() : fallbackFolder;
    return QDir(folder).filePath(name + QLatin1String(".longpole"));
}

ExistingProject existingProject(const QString &projectPath, const QStringList &inputs)
{
    if (!core::isProjectFile(projectPath.toStdString()))
        return ExistingProject::None;
    const QDateTime made = QFileInfo(projectPath).lastModified();
    const bool isNewer = std::all_of(inputs.begin(), inputs.end(), [&](const QString &input) {
        // A project written into the very folder of its bundle changes that folder's own time.
        return newestChange(input) <= made.addSecs(1);
    });
    if (!isNewer)
        return ExistingProject::None;
    return core::isUnfinishedProject(projectPath.toStdString()) ? ExistingProject::Unfinished
                                                                : ExistingProject::UpToDate;
}

QString freeProjectPath(const QString &path)
{
    const QFileInfo info(path);
    QString candidate = path;
    for (int i = 2; QFileInfo::exists(candidate); ++i)
        candidate = info.dir().filePath(
            QStringLiteral("%1 %2.longpole").arg(info.completeBaseName()).arg(i));
    return candidate;
}

QString projectCacheFolder()
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::CacheLocation)
        + QLatin1String("/projects");
    QDir().mkpath(folder);
    return folder;
}

std::optional<QString> samplePath()
{
    const QDir program(QCoreApplication::applicationDirPath());
    for (const char *place : { "../share/longpole/samples", "../../../resources/samples" }) {
        const QDir folder(program.filePath(QLatin1String(place)));
        const QStringList samples = folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
        if (!samples.isEmpty())
            return QDir::cleanPath(folder.filePath(samples.front()));
    }
    return std::nullopt;
}

} // namespace ui
