#include "ui/main_window/main_window.h"

#include "core/base/error.h"
#include "ui/help/help_window.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/image_export.h"
#include "ui/main_window/main_menus.h"
#include "ui/main_window/open_target.h"
#include "ui/main_window/project_opener.h"
#include "ui/main_window/recent_projects.h"
#include "ui/main_window/report_export.h"
#include "ui/main_window/shortcuts_dialog.h"
#include "ui/main_window/status_strip.h"
#include "ui/main_window/trust.h"
#include "ui/main_window/welcome_page.h"
#include "ui/main_window/workspace_bar.h"
#include "ui/models/input_summary.h"
#include "ui/session/project_copy.h"
#include "ui/session/session.h"
#include "ui/theme/icons.h"
#include "ui/views/view_list.h"
#include "ui/widgets/focus_frame.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/state_page.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStatusTipEvent>
#include <QVBoxLayout>

#include <utility>

namespace ui {

namespace {

    constexpr QSize defaultSize(1440, 900);
    constexpr QSize smallestSize(900, 560);

    QString welcomeId()
    {
        return QStringLiteral("welcome");
    }

    /// A file to write, with the suffix of the kind that was chosen; empty: none.
    QString askForFile(QWidget &window, const QString &title, const QString &suggested,
                       const QString &kinds)
    {
        QString chosen;
        const QString path
            = QFileDialog::getSaveFileName(&window, title, suggested, kinds, &chosen);
        if (path.isEmpty())
            return {};
        return withSuffix(path, suggested, kinds, chosen);
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
    m_themeChoice = rememberedTheme();
    createPages();
    createViews();
    createMenus(*this, m_session);
    FocusFrame::installOn(*this);
    connectSession();
    connectOpener();
    updateWelcome();
    onProjectChanged();
    if (m_isRemembered) {
        restoreGeometry(m_settings.value(QStringLiteral("window/geometry")).toByteArray());
        restoreState(m_settings.value(QStringLiteral("window/state")).toByteArray());
    }
}

MainWindow::~MainWindow() = default;

ThemeChoice MainWindow::rememberedTheme()
{
    return themeChoiceFromName(QSettings().value(QStringLiteral("theme")).toString())
        .value_or(ThemeChoice::System);
}

void MainWindow::createPages()
{
    m_bar = new WorkspaceBar(this);
    m_notice = new NoticeBar(this);
    m_stack = new QStackedWidget(this);
    m_welcome = new WelcomePage(m_stack);
    m_statePage = new StatePage(m_stack);
    m_status = new StatusStrip(m_session, this);
    m_opener = new ProjectOpener(m_session, *m_notice, *m_statePage, this);
    m_report = new ReportExport(m_session, this);
    m_images = new ImageExport(this);
    connect(m_report, &ReportExport::written, this, &MainWindow::saySaved);
    connect(m_images, &ImageExport::written, this, &MainWindow::saySaved);
    connect(m_images, &ImageExport::failed, this,
            [this](const QString &message) { m_notice->showNotice(message); });
    connect(&m_session.copy(), &ProjectCopy::opened, this, [this](const QString &path) {
        m_notice->showNotice(
            tr("Saved as %1, which is open now").arg(QDir::toNativeSeparators(path)));
    });
    connect(&m_session.copy(), &ProjectCopy::failed, this, [this](const QString &message) {
        m_notice->showNotice(tr("The project is not copied: %1").arg(message));
    });
    connect(&m_session, &Session::cannotKeep, this, [this](const QString &message) {
        m_notice->showNotice(tr("What you mark and write is not kept: %1").arg(message));
    });
    connect(&m_session, &Session::findingsNotKept, this, [this](const QString &message) {
        m_notice->showNotice(
            tr("The analysis is not kept for the next time that the project is opened: %1")
                .arg(message));
    });
    connect(m_report, &ReportExport::failed, this,
            [this](const QString &message) { m_notice->showNotice(message); });
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
        if (entry.needsAnalysis)
            m_analysisIds << id;
        m_views.insert(id, view);
        m_bar->addWorkspace(id, QCoreApplication::translate("Views", entry.title));
    }
    connect(m_bar, &WorkspaceBar::currentChanged, this, &MainWindow::showWorkspace);
}

void MainWindow::connectSession()
{
    connect(&m_session, &Session::projectChanged, this, &MainWindow::onProjectChanged);
    connect(&m_session, &Session::analysisChanged, this, &MainWindow::rememberProject);
    connect(&m_session, &Session::analysisChanged, this, &MainWindow::updateCaption);
    connect(&m_session, &Session::viewRequested, this, &MainWindow::showWorkspace);
}

void MainWindow::connectOpener()
{
    connect(m_opener, &ProjectOpener::failed, this, &MainWindow::openFailed);
    connect(m_opener, &ProjectOpener::inputMissing, this,
            [this](const QString &path) { removeRecentProject(m_settings, path); });
    connect(m_opener, &ProjectOpener::problemsRequested, this,
            [this] { showWorkspace(QStringLiteral("import")); });
    connect(m_opener, &ProjectOpener::pageRequested, this, [this] {
        m_bar->hide();
        m_stack->setCurrentWidget(m_statePage);
    });
    connect(m_opener, &ProjectOpener::pageLeft, this, [this] {
        updateWelcome();
        m_bar->setVisible(m_session.isOpen());
        showWorkspace(m_session.isOpen() ? m_bar->current() : welcomeId());
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
    m_session.setShownView(id);
    m_stack->setCurrentWidget(wanted);
    wanted->setFocus();
    if (m_analysisIds.contains(id))
        m_session.requestAnalysis();
}

void MainWindow::open(const QStringList &paths)
{
    m_opener->open(paths);
}

void MainWindow::openSample()
{
    m_opener->openSample();
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
    const int before = std::exchange(m_shownOpening, m_session.opening());
    if (isOpen) {
        m_opener->showUnfinishedImport();
        // Opened anew, since its clocks were set, or a copy: the user stays where they are.
        showWorkspace(before == m_shownOpening ? m_bar->current() : m_viewIds.front());
        return;
    }
    updateWelcome();
    showWorkspace(welcomeId());
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
    project.iterations = static_cast<int>(m_session.compared().count);
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
    QStringList facts { ranksText(info), iterationsText(info, m_session.compared()),
                        alignmentText(info) };
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

void MainWindow::saveAs()
{
    const QFileInfo project(m_session.projectPath());
    const QString suggested = freeProjectPath(project.absoluteFilePath());
    QString path = QFileDialog::getSaveFileName(this, tr("Save the project as"), suggested,
                                                tr("Projects (*.longpole)"));
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += QLatin1String(".longpole");
    m_session.copy().start(path);
}

void MainWindow::addTraces()
{
    const QStringList paths = QFileDialog::getOpenFileNames(
        this, tr("Add traces to this project"),
        m_settings.value(QStringLiteral("folder")).toString(),
        tr("Traces (*.json *.gz *.zip *.sqlite *.pb *.et *.jsonl *.log);;All files (*)"));
    m_opener->addTraces(paths);
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

ImageCaption MainWindow::imageCaption() const
{
    if (!m_session.isOpen())
        return {};
    return { m_session.projectName(), caption(), trustText(m_session) };
}

void MainWindow::exportImage()
{
    QWidget &view = *m_stack->currentWidget();
    ImageDialog dialog(timelinesOf(view), themeOf(palette()), m_settings, this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    const QString suggested
        = QStringLiteral("%1-%2.png")
              .arg(m_session.isOpen() ? m_session.projectName() : QStringLiteral("longpole"),
                   m_session.isOpen() ? m_bar->current() : welcomeId());
    const QString path
        = askForFile(*this, tr("Export image"), suggested,
                     tr("PNG image (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)"));
    if (!path.isEmpty())
        m_images->write(pictureOf(view, dialog.wish(), imageCaption()), dialog.wish().scale, path);
}

void MainWindow::saySaved(const QString &file)
{
    m_status->say(tr("Saved as %1").arg(QDir::toNativeSeparators(file)));
}

void MainWindow::exportReport()
{
    const QString path
        = askForFile(*this, tr("Report"), QStringLiteral("%1.html").arg(m_session.projectName()),
                     tr("Web page (*.html);;PDF (*.pdf)"));
    if (!path.isEmpty())
        m_report->write(path);
}

void MainWindow::copyImage()
{
    ImageWish wish;
    wish.choice.theme = themeOf(palette());
    const Picture picture = pictureOf(*m_stack->currentWidget(), wish, imageCaption());
    if (!whyTooLarge(picture.size, wish.scale, {}).isEmpty())
        wish.scale = SmallestScale;
    if (const QString why = whyTooLarge(picture.size, wish.scale, {}); !why.isEmpty())
        return m_notice->showNotice(why);
    try {
        const QImage image = drawnImage(picture, wish.scale);
        QApplication::clipboard()->setImage(image);
        m_status->say(
            tr("Copied as an image of %1 \u00d7 %2 pixels").arg(image.width()).arg(image.height()));
    } catch (const core::Error &error) {
        m_notice->showNotice(QString::fromUtf8(error.what()));
    }
}

void MainWindow::setThemeChoice(ThemeChoice choice)
{
    m_themeChoice = choice;
    if (m_isRemembered)
        m_settings.setValue(QStringLiteral("theme"), themeChoiceName(choice));
    applyTheme(*qApp, choice);
}

HelpWindow &MainWindow::help()
{
    if (m_help == nullptr)
        m_help = new HelpWindow(this);
    return *m_help;
}

void MainWindow::showHelp()
{
    const bool isView = m_views.value(m_bar->current()) == m_stack->currentWidget();
    help().showPage(helpPageOf(isView ? m_bar->current() : welcomeId()));
    help().show();
    help().raise();
    help().activateWindow();
}

void MainWindow::showShortcuts()
{
    (new ShortcutsDialog(menus(), this))->show();
}

void MainWindow::showCommands()
{
    showCommandPalette(commandActions(menus()), *this);
}

void MainWindow::showAbout()
{
    QMessageBox::about(this, tr("About Longpole"),
                       tr("<b>Longpole %1</b><p>Tells why a distributed training job is slow and "
                          "what would make it faster.</p><p>Apache License 2.0</p>")
                           .arg(QLatin1String(LONGPOLE_VERSION)));
}

/// What a part of the window says stands in the status line.
bool MainWindow::event(QEvent *event)
{
    if (event->type() != QEvent::StatusTip)
        return QMainWindow::event(event);
    const QString tip = static_cast<const QStatusTipEvent *>(event)->tip();
    if (!tip.isEmpty())
        m_status->say(tip);
    return true;
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
