#pragma once

#include "core/pipeline/pipeline.h"

#include <QString>
#include <QStringList>

#include <functional>

namespace ui {

/// What an import does in its worker thread; the same work into a new project or one that is
/// there (ImportOptions::append). The work throws core::Error, core::Cancelled.
std::function<core::ImportReport(const core::JobControl &)>
importWork(const QStringList &inputs, const QString &projectPath,
           const core::ImportOptions &options);

} // namespace ui
