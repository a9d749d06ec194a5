#pragma once

#include "ui/theme/theme.h"

#include <QHash>
#include <QMainWindow>
#include <QSettings>
#include <QStringList>

class QMenu;
class QStackedWidget;

namespace ui {

class HelpWindow;
class ImageExport;
struct ImageCaption;
class NoticeBar;
class ReportExport;
class ProjectOpener;
class Session;
class StatePage;
class StatusStrip;
class WelcomePage;
class WorkspaceBar;

/// The one window: tabs of what view_list offers, menus, import, errors. Knows nothing about a
/// particular view.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    /// `isRemembered`: geometry, theme and recent projects are kept for the next start.
    MainWindow(Session &session, bool isRemembered);
    ~MainWindow() override;

    /// Opens a project, or imports anything else into a project beside it and opens that.
    void open(const QStringList &paths);
    /// "welcome" or the id of a view.
    void showWorkspace(const QString &id);
    QWidget *workspace(const QString &id) const;
    QStringList workspaceIds() const; ///< "welcome" first
    QList<QMenu *> menus() const;
    /// Made when it is first asked for; showing it is the caller's.
    HelpWindow &help();
    /// What a picture of the open project says below.
    ImageCaption imageCaption() const;
    ThemeChoice themeChoice() const { return m_themeChoice; }
    /// Chosen in an earlier run, else the system's.
    static ThemeChoice rememberedTheme();

public slots:
    void chooseFile();
    void chooseFolder();
    void openSample();
    void saveAs(); ///< a copy of the project, which is open then
    void addTraces(); ///< to the open project
    void closeProject();
    void exportImage();
    void exportReport();
    void copyImage();
    void setThemeChoice(ui::ThemeChoice choice);
    /// The help, at the page about what the window shows.
    void showHelp();
    void showShortcuts();
    void showCommands();
    void showAbout();
    void fillRecentMenu(QMenu *menu);

signals:
    void openFailed(const QString &message);

protected:
    bool event(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void createPages();
    void createViews();
    void connectSession();
    void connectOpener();
    void onProjectChanged();
    void rememberProject();
    void updateWelcome();
    void updateCaption();
    void saySaved(const QString &file);
    QString caption() const;

    Session &m_session;
    QSettings m_settings;
    bool m_isRemembered;
    int m_shownOpening = 0; ///< of the project that is shown
    ThemeChoice m_themeChoice = ThemeChoice::System;
    WorkspaceBar *m_bar = nullptr;
    NoticeBar *m_notice = nullptr;
    ReportExport *m_report = nullptr;
    ImageExport *m_images = nullptr;
    QStackedWidget *m_stack = nullptr;
    WelcomePage *m_welcome = nullptr;
    StatePage *m_statePage = nullptr; ///< importing, or why opening failed
    StatusStrip *m_status = nullptr;
    ProjectOpener *m_opener = nullptr;
    HelpWindow *m_help = nullptr; ///< null: not asked for yet
    QStringList m_viewIds;
    QStringList m_analysisIds; ///< of the views that need the analysis
    QHash<QString, QWidget *> m_views; ///< by id
};

} // namespace ui
