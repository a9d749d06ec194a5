#pragma once

#include <QDateTime>
#include <QList>
#include <QString>

#include <cstdint>

class QSettings;

namespace ui {

/// One line of the welcome page. What a project is known by without opening it.
struct RecentProject
{
    QString path;
    QDateTime openedAt;
    int ranks = 0;
    int iterations = 0;
    std::int64_t iterationNs = 0; ///< median iteration; 0: not analysed yet
};

/// Newest first; projects whose file has gone are left out.
QList<RecentProject> readRecentProjects(const QSettings &settings);
/// Puts the project on top and keeps the newest ten.
void addRecentProject(QSettings &settings, const RecentProject &project);
void removeRecentProject(QSettings &settings, const QString &path);

} // namespace ui
