#pragma once

#include <QObject>
#include <QStringList>

#include <functional>

namespace ui {

class NoticeBar;
class Session;
class StatePage;

/// Opens projects and imports everything else: which project a bundle belongs to, whether it has to
/// be imported (again), and what to say meanwhile. Says it on the state page, or in the notice bar
/// over the project that is open.
class ProjectOpener : public QObject
{
    Q_OBJECT

public:
    /// The references must outlive it.
    ProjectOpener(Session &session, NoticeBar &notice, StatePage &page, QObject *parent);

    /// Opens a project, or imports anything else into a project beside it and opens that.
    void open(const QStringList &paths);
    /// The bundled sample, imported into the cache folder unless it is there.
    void openSample();
    /// Reads more traces into the open project.
    void addTraces(const QStringList &paths);
    /// If the open project's import was interrupted: what is missing, and a way to import the rest.
    /// `said`: instead of what is missing, and also where nothing is.
    void showUnfinishedImport(const QString &said = {});

signals:
    /// The state page has something to say: it is to be shown.
    void pageRequested();
    /// The state page has nothing to say any more.
    void pageLeft();
    void inputMissing(const QString &path);
    void failed(const QString &message);
    /// The user wants to see what an import found wrong.
    void problemsRequested();

private:
    /// Says why not, if it cannot be opened. `again` makes the project anew, if it can be.
    bool openProjectFile(const QString &path, const std::function<void()> &again = {});
    void importInto(const QStringList &paths, const QString &projectPath);
    void importPaths(const QStringList &paths, bool mayReuse);
    void showImportPage(const QString &projectPath);
    void leaveImportPage();
    void showProgress(const QString &job, double fraction, const QString &stage);
    void showError(const QString &title, const QString &message,
                   const std::function<void()> &importAgain = {});
    void onImportFinished();
    void onImportInterrupted(bool isChanged, const QString &why);

    Session &m_session;
    NoticeBar &m_notice;
    StatePage &m_page;
    bool m_isCounted = false; ///< what is added to the open project is told
};

} // namespace ui
