#pragma once

#include "ui/jobs/job.h"

#include <QObject>
#include <QString>

namespace ui {

class Session;

/// Writes the report of the open project, with the what-if that is shown, in a worker thread.
class ReportExport : public QObject
{
    Q_OBJECT

public:
    explicit ReportExport(Session &session, QObject *parent);

    /// A file whose name ends in .html or .pdf. Needs the session's diagnosis.
    void write(const QString &file);

signals:
    void written(const QString &file);
    void failed(const QString &message);

private:
    Session &m_session;
    Job<QString> m_job; ///< the file that was written; declared last
};

} // namespace ui
