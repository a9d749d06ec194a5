#include "ui/main_window/project_opener.h"

#include "core/base/error.h"
#include "core/project/project_file.h"
#include "core/project/write/project_lock.h"
#include "ui/main_window/open_target.h"
#include "ui/main_window/unfinished_notice.h"
#include "ui/models/input_summary.h"
#include "ui/session/session.h"
#include "ui/widgets/format.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/state_page.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLocale>
#include <QRegularExpression>

#include <utility>

namespace ui {

namespace {

    QString addedText(const core::ImportReport &report)
    {
        const QString known
            = countText(report.filesKnown, ProjectOpener::tr("%1 file was in it already."),
                        ProjectOpener::tr("%1 files were in it already."));
        if (report.filesRead == 0)
            return ProjectOpener::tr("Nothing was added: %1").arg(known);
        const QString added = countText(report.filesRead, ProjectOpener::tr("%1 file was added."),
                                        ProjectOpener::tr("%1 files were added."));
        return report.filesKnown == 0 ? added : added + QLatin1Char(' ') + known;
    }

} // namespace

ProjectOpener::ProjectOpener(Session &session, NoticeBar &notice, StatePage &page, QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_notice(notice)
    , m_page(page)
{
    connect(&m_session, &Session::importFinished, this, &ProjectOpener::onImportFinished);
    connect(&m_session, &Session::importFailed, this, [this](const QString &message) {
        leaveImportPage();
        showError(tr("The import failed"), message);
    });
    connect(&m_session, &Session::importInterrupted, this, &ProjectOpener::onImportInterrupted);
    connect(&m_session, &Session::jobProgressChanged, this, &ProjectOpener::showProgress);
}

void ProjectOpener::showProgress(const QString &job, double fraction, const QString &stage)
{
    if (job != QLatin1String("import") || !m_session.isRunning(job))
        return;
    m_page.setProgress(fraction);
    m_page.setDetail(stage);
}

void ProjectOpener::open(const QStringList &paths)
{
    if (paths.isEmpty())
        return;
    m_notice.hide();
    for (const QString &path : paths) {
        if (!QFileInfo::exists(path)) {
            emit inputMissing(path);
            showError(tr("There is no such file"),
                      tr("%1 does not exist. Check the name, or choose another file.")
                          .arg(QDir::toNativeSeparators(path)));
            return;
        }
    }
    if (paths.size() == 1 && core::isProjectFile(paths.front().toStdString()))
        openProjectFile(QFileInfo(paths.front()).absoluteFilePath());
    else
        importPaths(paths, true);
}

bool ProjectOpener::openProjectFile(const QString &path, const std::function<void()> &again)
{
    try {
        m_session.openProject(path);
        return true;
    } catch (const core::Error &error) {
        showError(tr("This project cannot be opened"), QString::fromUtf8(error.what()), again);
        return false;
    }
}

void ProjectOpener::importPaths(const QStringList &paths, bool mayReuse)
{
    const QString cache = projectCacheFolder();
    const QString wanted = projectPathFor(paths, cache);
    const bool isAbandoned = m_session.isAbandonedImport(wanted);
    const ExistingProject existing
        = mayReuse && !isAbandoned ? existingProject(wanted, paths) : ExistingProject::None;
    if (existing != ExistingProject::None) {
        if (!openProjectFile(wanted, [this, paths] { importPaths(paths, false); }))
            return;
        if (existing == ExistingProject::Unfinished)
            return; // says so itself; it was not imported on any day
        const QString when
            = QLocale().toString(QFileInfo(wanted).lastModified(), QLocale::ShortFormat);
        m_notice.showNotice(
            tr("This bundle was imported on %1; its project was opened.").arg(when),
            { { tr("Import again"), [this, paths] { importPaths(paths, false); } } });
        return;
    }
    importInto(paths, isAbandoned ? wanted : freeProjectPath(wanted));
}

void ProjectOpener::importInto(const QStringList &paths, const QString &projectPath)
{
    showImportPage(projectPath);
    m_session.importProject(paths, projectPath);
}

void ProjectOpener::openSample()
{
    if (const auto sample = samplePath()) {
        // The sample's own folder stays as it was installed.
        const QString target
            = QDir(projectCacheFolder())
                  .filePath(QFileInfo(*sample).fileName() + QLatin1String(".longpole"));
        const auto import = [this, paths = QStringList { *sample }, target] {
            if (!core::importerOf(target.toStdString())) // else the import tells who it is
                QFile::remove(target);
            importInto(paths, target);
        };
        if (!m_session.isAbandonedImport(target)
            && existingProject(target, { *sample }) == ExistingProject::UpToDate)
            openProjectFile(target, import);
        else
            import();
    }
}

void ProjectOpener::addTraces(const QStringList &paths)
{
    if (paths.isEmpty() || !m_session.isOpen())
        return;
    showImportPage(m_session.projectPath());
    m_isCounted = true;
    m_session.appendToProject(paths, m_session.projectPath());
}

void ProjectOpener::showUnfinishedImport(const QString &said)
{
    const auto &unfinished = m_session.reader().info().unfinishedImport;
    if (!unfinished) {
        if (!said.isEmpty())
            m_notice.showNotice(said);
        return;
    }
    const QString project = m_session.projectPath();
    const UnfinishedNotice notice = noticeOf(*unfinished, project);
    std::vector<NoticeLink> links;
    if (!notice.inputs.isEmpty())
        links.push_back({ tr("Import the rest"), [this, inputs = notice.inputs, project] {
                             showImportPage(project);
                             m_session.appendToProject(inputs, project);
                         } });
    if (notice.hasSomething)
        links.push_back({ tr("Do without it"), [this, project] {
                             showImportPage(project);
                             m_session.discardImportRest(project);
                         } });
    m_notice.showNotice(said.isEmpty() ? notice.text : said, links);
}

void ProjectOpener::showImportPage(const QString &projectPath)
{
    m_isCounted = false;
    m_notice.hide();
    m_page.setState(QStringLiteral("import"), tr("Importing"),
                    tr("The project is saved as %1").arg(QDir::toNativeSeparators(projectPath)),
                    tr("Starting"));
    m_page.setProgress(0);
    const bool isAdding = projectPath == m_session.projectPath();
    m_page.setAction(tr("Cancel"), [this, isAdding] {
        m_session.cancelJob(QStringLiteral("import"));
        leaveImportPage();
        m_notice.showNotice(isAdding ? tr("Adding is being cancelled\u2026")
                                     : tr("The import was cancelled. No project was made of it."));
        if (!isAdding && m_session.isOpen())
            showUnfinishedImport();
    });
    emit pageRequested();
}

void ProjectOpener::leaveImportPage()
{
    m_page.setProgress(std::nullopt);
    emit pageLeft();
}

void ProjectOpener::showError(const QString &title, const QString &message,
                              const std::function<void()> &importAgain)
{
    emit failed(message);
    // The terminal's indentation of a list looks like a slip where lines wrap.
    static const QRegularExpression indentation(QStringLiteral("\n +"));
    const QString shown = QString(message).replace(indentation, QStringLiteral("\n"));
    if (m_session.isOpen()) {
        std::vector<NoticeLink> links;
        if (importAgain)
            links.push_back({ tr("Import again"), importAgain });
        m_notice.showNotice(title + QStringLiteral(": ") + shown, links);
        return;
    }
    m_page.setProgress(std::nullopt);
    m_page.setState(QStringLiteral("error"), title, shown);
    const std::function<void()> back = [this] { emit pageLeft(); };
    m_page.setAction(importAgain ? tr("Import again") : tr("Back"),
                     importAgain ? importAgain : back);
    emit pageRequested();
}

/// The project is open as it is now.
void ProjectOpener::onImportInterrupted(bool isChanged, const QString &why)
{
    if (why.isEmpty())
        return showUnfinishedImport(
            isChanged ? tr("Adding was cancelled. Files that were read whole are kept.")
                      : tr("Adding was cancelled. Nothing was changed."));
    leaveImportPage();
    showError(isChanged ? tr("The import failed") : tr("Nothing was changed: the import failed"),
              why);
    if (isChanged)
        showUnfinishedImport(m_notice.text());
}

void ProjectOpener::onImportFinished()
{
    m_page.setProgress(std::nullopt);
    if (std::exchange(m_isCounted, false))
        m_notice.showNotice(addedText(*m_session.importReport()));
    const InputSummary summary = summarizeInput(m_session.reader().info());
    if (summary.worst() != core::Severity::Info)
        m_notice.showNotice(inputSentence(summary) + QLatin1Char('.'),
                            { { tr("Show the problems"), [this] {
                                   m_notice.hide();
                                   emit problemsRequested();
                               } } });
}

} // namespace ui
