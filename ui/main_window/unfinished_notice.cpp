#include "ui/main_window/unfinished_notice.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace ui {

namespace {

    constexpr qsizetype mostNamed = 3;

    QString tr(const char *text)
    {
        return QCoreApplication::translate("UnfinishedNotice", text);
    }

    /// "run0, run1, run2 and 5 more".
    QString listOf(const QStringList &inputs)
    {
        const QString named = QStringList(inputs.mid(0, mostNamed)).join(QStringLiteral(", "));
        return inputs.size() > mostNamed
            ? tr("%1 and %2 more").arg(named).arg(inputs.size() - mostNamed)
            : named;
    }

} // namespace

UnfinishedNotice noticeOf(const core::UnfinishedImport &unfinished, const QString &projectPath)
{
    const QDir folder = QFileInfo(projectPath).absoluteDir();
    QStringList named, paths;
    for (const std::string &input : unfinished.inputs) {
        named << QDir::toNativeSeparators(QString::fromStdString(input));
        paths << QDir::cleanPath(folder.absoluteFilePath(QString::fromStdString(input)));
    }
    const QString what = named.isEmpty() ? tr("this project\u2019s files") : listOf(named);
    const QString text = tr("The import of %1 was interrupted, or still runs. What it had read is "
                            "here; the rest is missing.")
                             .arg(what);
    const auto isThere = [](const QString &path) { return QFileInfo::exists(path); };
    if (!paths.isEmpty() && std::all_of(paths.begin(), paths.end(), isThere))
        return { text, paths };
    return { text + QLatin1Char(' ')
                 + tr("To go on, import the files from where they are now: longpole import "
                      "--append FILES -o \"%1\"")
                       .arg(QDir::toNativeSeparators(projectPath)),
             {} };
}

} // namespace ui
