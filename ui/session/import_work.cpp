#include "ui/session/import_work.h"

#include <vector>

namespace ui {

std::filesystem::path toPath(const QString &path)
{
    return std::filesystem::path(path.toStdString());
}

ImportWork importWork(const QStringList &inputs, const QString &projectPath,
                      const core::ImportOptions &options)
{
    std::vector<std::filesystem::path> paths;
    paths.reserve(static_cast<std::size_t>(inputs.size()));
    for (const QString &input : inputs)
        paths.push_back(toPath(input));
    return [paths, project = toPath(projectPath), options](const core::JobControl &control) {
        return core::importBundle(paths, project, options, control);
    };
}

} // namespace ui
