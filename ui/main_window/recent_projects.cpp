#include "ui/main_window/recent_projects.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

namespace ui {

namespace {

    constexpr qsizetype maxRecentProjects = 10;

    QString settingsKey()
    {
        return QStringLiteral("recentProjects");
    }

    RecentProject fromJson(const QJsonObject &object)
    {
        RecentProject project;
        project.path = object[QLatin1String("path")].toString();
        project.openedAt
            = QDateTime::fromString(object[QLatin1String("openedAt")].toString(), Qt::ISODate);
        project.ranks = object[QLatin1String("ranks")].toInt();
        project.iterations = object[QLatin1String("iterations")].toInt();
        project.iterationNs = object[QLatin1String("iterationNs")].toInteger();
        return project;
    }

    QJsonObject toJson(const RecentProject &project)
    {
        return {
            { QStringLiteral("path"), project.path },
            { QStringLiteral("openedAt"), project.openedAt.toString(Qt::ISODate) },
            { QStringLiteral("ranks"), project.ranks },
            { QStringLiteral("iterations"), project.iterations },
            { QStringLiteral("iterationNs"), qint64(project.iterationNs) },
        };
    }

    void write(QSettings &settings, const QList<RecentProject> &projects)
    {
        QJsonArray array;
        for (const RecentProject &project : projects)
            array.append(toJson(project));
        settings.setValue(settingsKey(), QJsonDocument(array).toJson(QJsonDocument::Compact));
    }

    QList<RecentProject> without(QList<RecentProject> projects, const QString &path)
    {
        projects.removeIf([&path](const RecentProject &p) { return p.path == path; });
        return projects;
    }

} // namespace

QList<RecentProject> readRecentProjects(const QSettings &settings)
{
    QList<RecentProject> projects;
    const auto document = QJsonDocument::fromJson(settings.value(settingsKey()).toByteArray());
    const QJsonArray array = document.array();
    for (const auto &value : array) {
        RecentProject project = fromJson(value.toObject());
        if (QFileInfo::exists(project.path))
            projects.append(std::move(project));
    }
    return projects;
}

void addRecentProject(QSettings &settings, const RecentProject &project)
{
    QList<RecentProject> projects = without(readRecentProjects(settings), project.path);
    projects.prepend(project);
    write(settings, projects.mid(0, maxRecentProjects));
}

void removeRecentProject(QSettings &settings, const QString &path)
{
    write(settings, without(readRecentProjects(settings), path));
}

} // namespace ui
