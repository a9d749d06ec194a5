#pragma once

#include "ui/jobs/job.h"
#include "ui/session/import_work.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace ui {

/// Waits in a worker thread for the end of an import that was cancelled or failed, and tells
/// whether it had changed the project that it was to add to. GUI thread.
class InterruptedImport : public QObject
{
    Q_OBJECT

public:
    /// The same work, which notes before what the project holds. It runs under the turn of await().
    ImportWork watched(const ImportWork &work, const QString &projectPath);
    /// `turn`: held by the import while it runs. `why`: it failed; empty: it was cancelled.
    void await(const QString &projectPath, const std::shared_ptr<std::mutex> &turn,
               const QString &why);
    bool isRunning() const { return m_job.isRunning(); }

signals:
    void ended(const QString &projectPath, bool isChanged, const QString &why);

private:
    /// core::contentStamp() before the import; empty: it has not begun. Under the turn.
    using Before = std::optional<std::uint64_t>;

    std::shared_ptr<Before> m_before;
    QString m_watched; ///< project of `m_before`
    Job<bool> m_job; // last: it dies first
};

} // namespace ui
