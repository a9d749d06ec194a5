#include "ui/session/interrupted_import.h"

#include "core/base/error.h"
#include "core/project/kept_values.h"

namespace ui {

/// One that begins while the end of another is awaited counts from before that one.
ImportWork InterruptedImport::watched(const ImportWork &work, const QString &projectPath)
{
    if (m_before == nullptr || !m_job.isRunning() || m_watched != projectPath)
        m_before = std::make_shared<Before>();
    m_watched = projectPath;
    m_job.cancel();
    return [work, before = m_before, path = toPath(projectPath)](const core::JobControl &control) {
        try {
            if (!*before)
                *before = core::contentStamp(path);
        } catch (const core::Error &) { // the import tells what is wrong with it
        }
        return work(control);
    };
}

void InterruptedImport::await(const QString &projectPath, const std::shared_ptr<std::mutex> &turn,
                              const QString &why)
{
    m_job.start(
        [before = m_before, turn, path = toPath(projectPath)](const core::JobControl &) {
            const std::lock_guard lock(*turn);
            return before != nullptr && *before && **before != core::contentStamp(path);
        },
        [this, projectPath, why](bool isChanged) { emit ended(projectPath, isChanged, why); },
        // Where it cannot be told, opening it anew tells what is wrong with it.
        [this, projectPath, why](const QString &) { emit ended(projectPath, true, why); });
}

} // namespace ui
