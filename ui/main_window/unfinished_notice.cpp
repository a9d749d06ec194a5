#include "ui/main_window/unfinished_notice.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace ui {

namespace {

    constexpr qsizetype mostNamed = 3;

    struct UnfinishedNoticeText
    {
        Q_DECLARE_TR_FUNCTIONS(UnfinishedNotice)
    };

    /// "run0, run1, run2 and 5 more".
    QString listOf(const QStringList &inputs)
    {
        const QString named = QStringList(inputs.mid(0, mostNamed)).join(QStringLiteral(", "));
        return inputs.size() > mostNamed
            ? UnfinishedNoticeText::tr("%1 and %2 more").arg(named).arg(inputs.size() - mostNamed)
            : named;
    }

    /// With %1 for the inputs and, while it runs, %2 for the importer.
    QString stateText(const core::UnfinishedImport &unfinished)
    {
        if (unfinished.importer)
            return unfinished.hasStoredNothing
                ? UnfinishedNoticeText::tr("The import of %1 is running (%2). Nothing is here yet; "
                                           "wait for it.")
                : UnfinishedNoticeText::tr(
                    "The import of %1 is running (%2). The part that it has read is "
                    "here; wait for the rest.");
        return unfinished.hasStoredNothing
            ? UnfinishedNoticeText::tr("The import of %1 was interrupted before anything was "
                                       "stored.")
            : UnfinishedNoticeText::tr(
                "The import of %1 was interrupted. The part that it had read is "
                "here; the rest is missing.");
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
    const QString what
        = named.isEmpty() ? UnfinishedNoticeText::tr("this project\u2019s files") : listOf(named);
    if (unfinished.importer) // both at once: a name may hold %2
        return {
            stateText(unfinished).arg(what, QString::fromStdString(unfinished.importer->text())),
            {},
            false
        };
    const QString text = stateText(unfinished).arg(what);
    const auto isThere = [](const QString &path) { return QFileInfo::exists(path); };
    if (!paths.isEmpty() && std::all_of(paths.begin(), paths.end(), isThere))
        return { text, paths, !unfinished.hasStoredNothing };
    return { text + QLatin1Char(' ')
                 + UnfinishedNoticeText::tr(
                       "To go on, import the files from where they are now: longpole import "
                       "--append FILES -o \"%1\"")
                       .arg(QDir::toNativeSeparators(projectPath)),
             {},
             !unfinished.hasStoredNothing };
}

} // namespace ui
