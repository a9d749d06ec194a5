#pragma once

#include "ui/main_window/recent_projects.h"

#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace ui {

/// What the window shows without a project: where to drop a bundle, what was open before, and the
/// sample.
class WelcomePage : public QWidget
{
    Q_OBJECT

public:
    explicit WelcomePage(QWidget *parent);

    void setRecentProjects(const QList<RecentProject> &projects);
    void setSampleAvailable(bool isAvailable);

signals:
    void openRequested(); ///< ask for a file
    void openFolderRequested();
    void sampleRequested();
    void projectRequested(const QString &path);
    void projectForgotten(const QString &path);

private:
    QWidget *createHeader();
    QWidget *createDropZone();
    void rebuildRecentList();

    QList<RecentProject> m_recent;
    QWidget *m_recentList = nullptr;
    QVBoxLayout *m_recentLayout = nullptr;
    QPushButton *m_sampleButton = nullptr;
};

} // namespace ui
