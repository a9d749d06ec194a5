#include "ui/session/import_work.h"

#include <filesystem>
#include <vector>

namespace ui {

std::function<core::ImportReport(const core::JobControl &)>
importWork(const QStringList &inputs, const QString &projectPath,
           const core::ImportOptions &options)
{
    std::vector<std::filesystem::path> paths;
    paths.reserve(static_cast<std::size_t>(inputs.size()));
    for (const QString &input : inputs)
        paths.emplace_back(input.toStdString());
    return [paths, project = std::filesystem::path(projectPath.toStdString()),
            options](const core::JobControl &control) {
        return core::importBundle(paths, project, options, control);
    };
}

} // namespace ui
