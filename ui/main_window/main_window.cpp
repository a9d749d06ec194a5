#include "ui/main_window/main_window.h"

#include "core/project/project_file.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/image_export.h"
#include "ui/main_window/main_menus.h"
#include "ui/main_window/open_target.h"
#include "ui/main_window/recent_projects.h"
#include "ui/main_window/shortcuts_dialog.h"
#include "ui/main_window/status_strip.h"
#include "ui/main_window/trust.h"
#include "ui/main_window/unfinished_notice.h"
#include "ui/main_window/welcome_page.h"
#include "ui/main_window/workspace_bar.h"
#include "ui/models/input_summary.h"
#include "ui/session/session.h"
#include "ui/theme/icons.h"
#include "ui/views/view_list.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/state_page.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace ui {

namespace {

    constexpr QSize defaultSize(1440, 900);
    constexpr QSize smallestSize(900, 560);

    QString welcomeId()
    {
        return QStringLiteral("welcome");
    }

    QStringList localPaths(const QMimeData &data)
    {
        QStringList paths;
        const auto urls = data.urls();
        for (const QUrl &url : urls) {
            if (url.isLocalFile())
                paths << url.toLocalFile();
        }
        return paths;
    }

} // namespace

MainWindow::MainWindow(Session &session, bool isRemembered)
    : m_session(session)
    , m_isRemembered(isRemembered)
{
    setWindowTitle(tr("Longpole"));
    setWindowIcon(applicationIcon());
    setAcceptDrops(true);
    setMinimumSize(smallestSize);
    resize(defaultSize);
    m_themeChoice = themeChoiceFromName(m_settings.value(QStringLiteral("theme")).toString())
                        .value_or(ThemeChoice::System);
    createPages();
    createViews();
    createMenus(*this, m_session);
    connectSession();
    updateWelcome();
    onProjectChanged();
    if (m_isRemembered) {
        restoreGeometry(m_settings.value(QStringLiteral("window/geometry")).toByteArray());
        restoreState(m_settings.value(QStringLiteral("window/state")).toByteArray());
    }
}

MainWindow::~MainWindow() = default;

void MainWindow::createPages()
{
    m_bar = new WorkspaceBar(this);
    m_notice = new NoticeBar(this);
    m_stack = new QStackedWidget(this);
    m_welcome = new WelcomePage(m_stack);
    m_statePage = new StatePage(m_stack);
    m_status = new StatusStrip(m_session, this);
    m_stack->addWidget(m_welcome);
    m_stack->addWidget(m_statePage);

    auto *central = new QWidget(this);
    auto *column = new QVBoxLayout(central);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_notice);
    column->addWidget(m_stack, 1);
    setCentralWidget(central);

    auto *bottom = new QStatusBar(this);
    bottom->setSizeGripEnabled(false);
    bottom->setContentsMargins(0, 0, 0, 0);
    bottom->addPermanentWidget(m_status, 1);
    setStatusBar(bottom);

    connect(m_welcome, &WelcomePage::openRequested, this, &MainWindow::chooseFile);
    connect(m_welcome, &WelcomePage::openFolderRequested, this, &MainWindow::chooseFolder);
    connect(m_welcome, &WelcomePage::sampleRequested, this, &MainWindow::openSample);
    connect(m_welcome, &WelcomePage::projectRequested, this,
            [this](const QString &path) { open({ path }); });
    connect(m_welcome, &WelcomePage::projectForgotten, this, [this](const QString &path) {
        removeRecentProject(m_settings, path);
        updateWelcome();
    });
}

void MainWindow::createViews()
{
    for (const ViewEntry &entry : viewList()) {
        const QString id = QLatin1String(entry.id);
        QWidget *view = entry.create(m_session, m_stack);
        m_stack->addWidget(view);
        m_viewIds << id;
        m_views.insert(id, view);
        m_bar->addWorkspace(id, QCoreApplication::translate("Views", entry.title));
    }
    connect(m_bar, &WorkspaceBar::currentChanged, this, &MainWindow::showWorkspace);
}

void MainWindow::connectSession()
{
    connect(&m_session, &Session::projectChanged, this, &MainWindow::onProjectChanged);
    connect(&m_session, &Session::analysisChanged, this, &MainWindow::rememberProject);
    connect(&m_session, &Session::viewRequested, this, &MainWindow::showWorkspace);
    connect(&m_session, &Session::importFinished, this, &MainWindow::onImportFinished);
    connect(&m_session, &Session::importFailed, this, [this](const QString &message) {
        leaveImportPage();
        showError(tr("The import failed"), message);
    });
    connect(&m_session, &Session::jobProgressChanged, this,
            [this](const QString &job, double fraction, const QString &stage) {
                if (job != QLatin1String("import") || !m_session.isRunning(job))
                    return;
                m_statePage->setProgress(fraction);
                m_statePage->setDetail(stage);
            });
}

QStringList MainWindow::workspaceIds() const
{
    return QStringList { welcomeId() } + m_viewIds;
}

QWidget *MainWindow::workspace(const QString &id) const
{
    return id == welcomeId() ? m_welcome : m_views.value(id);
}

QList<QMenu *> MainWindow::menus() const
{
    QList<QMenu *> found;
    const auto actions = menuBar()->actions();
    for (const QAction *action : actions)
        found << action->menu();
    return found;
}

void MainWindow::showWorkspace(const QString &id)
{
    QWidget *wanted = workspace(id);
    if (wanted == nullptr)
        return;
    m_bar->setVisible(id != welcomeId());
    m_bar->setCurrent(id);
    m_stack->setCurrentWidget(wanted);
    wanted->setFocus();
}

void MainWindow::open(const QStringList &paths)
{
    if (paths.isEmpty())
        return;
    m_notice->hide();
    for (const QString &path : paths) {
        if (!QFileInfo::exists(path)) {
            removeRecentProject(m_settings, path);
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

bool MainWindow::openProjectFile(const QString &path, const std::function<void()> &again)
{
    try {
        m_session.openProject(path);
        return true;
    } catch (const core::Error &error) {
        showError(tr("This project cannot be opened"), QString::fromUtf8(error.what()), again);
        return false;
    }
}

void MainWindow::importPaths(const QStringList &paths, bool mayReuse)
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
        m_notice->showNotice(
            tr("This bundle was imported on %1; its project was opened.").arg(when),
            tr("Import again"), [this, paths] { importPaths(paths, false); });
        return;
    }
    importInto(paths, isAbandoned ? wanted : freeProjectPath(wanted));
}

void MainWindow::importInto(const QStringList &paths, const QString &projectPath)
{
    showImportPage(projectPath);
    m_session.importProject(paths, projectPath);
}

void MainWindow::showUnfinishedImport()
{
    const auto &unfinished = m_session.reader().info().unfinishedImport;
    if (!unfinished)
        return;
    const QString project = m_session.projectPath();
    const UnfinishedNotice notice = noticeOf(*unfinished, project);
    m_notice->showNotice(notice.text, notice.inputs.isEmpty() ? QString() : tr("Import the rest"),
                         [this, inputs = notice.inputs, project] {
                             showImportPage(project);
                             m_session.appendToProject(inputs, project);
                         });
}

void MainWindow::showImportPage(const QString &projectPath)
{
    m_notice->hide();
    m_bar->hide();
    m_statePage->setState(
        QStringLiteral("import"), tr("Importing"),
        tr("The project is saved as %1").arg(QDir::toNativeSeparators(projectPath)),
        tr("Starting"));
    m_statePage->setProgress(0);
    m_statePage->setAction(tr("Cancel"), [this] {
        m_session.cancelJob(QStringLiteral("import"));
        leaveImportPage();
        if (m_session.isOpen())
            showUnfinishedImport();
    });
    m_stack->setCurrentWidget(m_statePage);
}

void MainWindow::leaveImportPage()
{
    m_statePage->setProgress(std::nullopt);
    m_bar->setVisible(m_session.isOpen());
    showWorkspace(m_session.isOpen() ? m_bar->current() : welcomeId());
}

void MainWindow::showError(const QString &title, const QString &message,
                           const std::function<void()> &importAgain)
{
    emit openFailed(message);
    if (m_session.isOpen()) {
        m_notice->showNotice(title + QStringLiteral(": ") + message,
                             importAgain ? tr("Import again") : QString(), importAgain);
        return;
    }
    m_statePage->setProgress(std::nullopt);
    m_statePage->setState(QStringLiteral("error"), title, message);
    const std::function<void()> back = [this] {
        updateWelcome();
        showWorkspace(welcomeId());
    };
    m_statePage->setAction(importAgain ? tr("Import again") : tr("Back"),
                           importAgain ? importAgain : back);
    m_stack->setCurrentWidget(m_statePage);
}

void MainWindow::openSample()
{
    if (const auto sample = samplePath()) {
        // The sample's own folder stays as it was installed.
        const QString target
            = QDir(projectCacheFolder())
                  .filePath(QFileInfo(*sample).fileName() + QLatin1String(".longpole"));
        const auto import = [this, paths = QStringList { *sample }, target] {
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

void MainWindow::closeProject()
{
    m_session.closeProject();
}

void MainWindow::onProjectChanged()
{
    const bool isOpen = m_session.isOpen();
    m_notice->hide();
    m_bar->setVisible(isOpen);
    updateCaption();
    rememberProject();
    if (isOpen) {
        showUnfinishedImport();
        showWorkspace(m_viewIds.front());
        return;
    }
    updateWelcome();
    showWorkspace(welcomeId());
}

void MainWindow::onImportFinished()
{
    m_statePage->setProgress(std::nullopt);
    const InputSummary summary = summarizeInput(m_session.reader().info());
    if (summary.worst() != core::Severity::Info)
        m_notice->showNotice(inputSentence(summary) + QLatin1Char('.'), tr("Show the problems"),
                             [this] {
                                 m_notice->hide();
                                 showWorkspace(QStringLiteral("import"));
                             });
}

void MainWindow::rememberProject()
{
    if (!m_isRemembered || !m_session.isOpen())
        return;
    const core::ProjectInfo &info = m_session.reader().info();
    RecentProject project;
    project.path = QFileInfo(m_session.projectPath()).absoluteFilePath();
    project.openedAt = QDateTime::currentDateTime();
    project.ranks = static_cast<int>(info.workers.size());
    project.iterations = iterationCount(info);
    if (const auto diagnosis = m_session.diagnosis())
        project.iterationNs = diagnosis->selfReplay.measuredNs;
    addRecentProject(m_settings, project);
}

void MainWindow::updateWelcome()
{
    m_welcome->setRecentProjects(readRecentProjects(m_settings));
    m_welcome->setSampleAvailable(samplePath().has_value());
}

QString MainWindow::caption() const
{
    if (!m_session.isOpen())
        return {};
    const core::ProjectInfo &info = m_session.reader().info();
    QStringList facts { ranksText(info), iterationsText(info), alignmentText(info) };
    facts.removeAll(QString());
    return facts.join(QStringLiteral(" \u00b7 "));
}

void MainWindow::updateCaption()
{
    const QString name = m_session.isOpen() ? m_session.projectName() : QString();
    m_bar->setCaption(name, caption());
    setWindowTitle(name.isEmpty() ? tr("Longpole") : tr("%1 \u2013 Longpole").arg(name));
}

void MainWindow::chooseFile()
{
    const QStringList paths = QFileDialog::getOpenFileNames(
        this, tr("Open traces or a project"), m_settings.value(QStringLiteral("folder")).toString(),
        tr("Traces and projects (*.json *.gz *.zip *.sqlite *.pb *.et *.jsonl *.log *.longpole);;"
           "All files (*)"));
    if (paths.isEmpty())
        return;
    m_settings.setValue(QStringLiteral("folder"), QFileInfo(paths.front()).absolutePath());
    open(paths);
}

void MainWindow::chooseFolder()
{
    const QString path = QFileDialog::getExistingDirectory(
        this, tr("Open a folder of traces"), m_settings.value(QStringLiteral("folder")).toString());
    if (path.isEmpty())
        return;
    m_settings.setValue(QStringLiteral("folder"), QFileInfo(path).absolutePath());
    open({ path });
}

void MainWindow::fillRecentMenu(QMenu *menu)
{
    menu->clear();
    const auto projects = readRecentProjects(m_settings);
    for (const RecentProject &project : projects) {
        QAction *action = menu->addAction(QDir::toNativeSeparators(project.path));
        connect(action, &QAction::triggered, this, [this, path = project.path] { open({ path }); });
    }
    if (projects.isEmpty())
        menu->addAction(tr("Nothing opened yet"))->setEnabled(false);
}

QPixmap MainWindow::currentImage() const
{
    const QString facts = caption();
    return renderImage(
        *m_stack->currentWidget(),
        facts.isEmpty() ? QString() : m_session.projectName() + QStringLiteral(" \u00b7 ") + facts);
}

void MainWindow::exportImage()
{
    const QPixmap image = currentImage(); // before the dialog covers the window
    const QString suggested
        = QStringLiteral("%1-%2.png")
              .arg(m_session.isOpen() ? m_session.projectName() : QStringLiteral("longpole"),
                   m_session.isOpen() ? m_bar->current() : welcomeId());
    const QString path = QFileDialog::getSaveFileName(this, tr("Export image"), suggested,
                                                      tr("PNG image (*.png)"));
    if (path.isEmpty())
        return;
    if (image.save(path, "PNG"))
        m_notice->showNotice(tr("Saved as %1").arg(QDir::toNativeSeparators(path)));
    else
        m_notice->showNotice(tr("%1 could not be written. Choose a folder that you may write to.")
                                 .arg(QDir::toNativeSeparators(path)));
}

void MainWindow::copyImage()
{
    QApplication::clipboard()->setPixmap(currentImage());
}

void MainWindow::setThemeChoice(ThemeChoice choice)
{
    m_themeChoice = choice;
    if (m_isRemembered)
        m_settings.setValue(QStringLiteral("theme"), themeChoiceName(choice));
    applyTheme(*qApp, choice);
}

void MainWindow::showShortcuts()
{
    (new ShortcutsDialog(menus(), this))->show();
}

void MainWindow::showCommands()
{
    auto *commands = new CommandPalette(commandActions(menus()), this);
    commands->move(mapToGlobal(QPoint((width() - commands->width()) / 2, height() / 8)));
    commands->show();
}

void MainWindow::showAbout()
{
    QMessageBox::about(this, tr("About Longpole"),
                       tr("<b>Longpole %1</b><p>Tells why a distributed training job is slow and "
                          "what would make it faster.</p><p>Apache License 2.0</p>")
                           .arg(QLatin1String(LONGPOLE_VERSION)));
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_isRemembered) {
        m_settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
        m_settings.setValue(QStringLiteral("window/state"), saveState());
    }
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (!localPaths(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    const QStringList paths = localPaths(*event->mimeData());
    event->acceptProposedAction();
    open(paths);
}

} // namespace ui
