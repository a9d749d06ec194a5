#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace ui {

/// Where importing `inputs` saves its project: beside the bundle under the bundle's name, or in
/// `fallbackFolder` where that place cannot be written.
QString projectPathFor(const QStringList &inputs, const QString &fallbackFolder);

enum class ExistingProject {
    None, ///< or made before the inputs last changed
    Unfinished, ///< its import was interrupted
    UpToDate ///< nothing to import
};

/// Is there a project that was made from the same inputs after they last changed? Looks at times of
/// files, two levels deep into folders.
ExistingProject existingProject(const QString &projectPath, const QStringList &inputs);

/// `path`, or "name 2.longpole" and so on where that exists.
QString freeProjectPath(const QString &path);

/// The folder of projects whose bundle lies in a read-only place; created when missing.
QString projectCacheFolder();

/// The bundled real sample: share/longpole/samples beside the installed program, else the source
/// tree's resources/samples seen from its build folder; empty if it was not installed.
std::optional<QString> samplePath();

} // namespace ui
