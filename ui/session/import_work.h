#pragma once

#include "core/pipeline/pipeline.h"

#include <QString>
#include <QStringList>

#include <filesystem>
#include <functional>

namespace ui {

using ImportWork = std::function<core::ImportReport(const core::JobControl &)>;

std::filesystem::path toPath(const QString &path);

/// Imports into a project, for a worker thread; throws core::Error.
ImportWork importWork(const QStringList &inputs, const QString &projectPath,
                      const core::ImportOptions &options);

} // namespace ui
