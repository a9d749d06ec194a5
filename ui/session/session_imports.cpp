#include "core/base/error.h"
#include "ui/session/import_work.h"
#include "ui/session/interrupted_import.h"
#include "ui/session/project_copy.h"
#include "ui/session/session.h"
#include "ui/session/session_jobs.h"

#include <utility>

// Imports of a session: into a new project, or into the open one.

namespace ui {

bool Session::isAbandonedImport(const QString &projectPath) const
{
    return m_jobs->import.isEnding() && m_importTargets.contains(projectPath);
}

void Session::importProject(const QStringList &inputs, const QString &projectPath)
{
    if (!m_jobs->import.isEnding())
        m_importTargets.clear();
    m_importTargets << projectPath;
    m_addedTo.clear();
    startImport(projectPath, importWork(inputs, projectPath, {}));
}

void Session::appendToProject(const QStringList &inputs, const QString &projectPath)
{
    core::ImportOptions options;
    options.append = true;
    startAdding(projectPath, importWork(inputs, projectPath, options));
}

void Session::discardImportRest(const QString &projectPath)
{
    startAdding(projectPath, [project = toPath(projectPath)](const core::JobControl &control) {
        core::discardImportRest(project, control);
        return core::ImportReport();
    });
}

void Session::startAdding(const QString &projectPath, const ImportWork &work)
{
    if (m_copy->job().isRunning()) {
        emit importFailed(tr("The project is being saved under another name. Add the traces when "
                             "that is done."));
        return;
    }
    m_addedTo = projectPath;
    startImport(projectPath, m_interrupted->watched(work, projectPath));
}

void Session::startImport(const QString &projectPath, const ImportWork &work)
{
    m_jobs->import.start(
        [work, turn = m_importTurn](const core::JobControl &control) {
            // An abandoned import removes its file when it ends, which may be this very file.
            const std::lock_guard lock(*turn);
            core::throwIfCancelled(control);
            return work(control);
        },
        [this, projectPath](core::ImportReport report) {
            try {
                if (isOpen() && projectPath == this->projectPath())
                    reopen();
                else
                    openProject(projectPath);
            } catch (const core::Error &error) {
                emit importFailed(QString::fromUtf8(error.what()));
                return;
            }
            m_importReport = std::move(report);
            emit importFinished();
        },
        [this](const QString &message) { endInterruptedImport(message); });
}

/// The additions of an interrupted import are not seen before it has ended.
void Session::endInterruptedImport(const QString &why)
{
    if (isOpen() && m_addedTo == projectPath())
        m_interrupted->await(m_addedTo, m_importTurn, why);
    else if (!why.isEmpty())
        emit importFailed(why);
}

void Session::onImportInterrupted(const QString &projectPath, bool isChanged, const QString &why)
{
    if (projectPath != this->projectPath())
        return; // another one was opened meanwhile
    try {
        if (isChanged)
            reopen();
    } catch (const core::Error &error) {
        emit importFailed(QString::fromUtf8(error.what()));
        return;
    }
    emit importInterrupted(isChanged, why);
}

} // namespace ui
