#pragma once

#include "core/change/change.h"
#include "core/compare/run_comparison.h"
#include "ui/jobs/job.h"

#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;
class QTableWidget;

namespace ui {

class Session;

/// A later run beside the open one, and beside what a strategy promised of it.
class LaterRunPane : public QWidget
{
    Q_OBJECT

public:
    LaterRunPane(Session &session, QWidget *parent);

    /// Its promise is compared, too; an empty one promises nothing.
    void setStrategy(const core::Strategy &strategy);
    void clear();
    /// Compares with that project.
    void setLaterRun(const QString &project);
    bool isBusy() const { return m_job.isRunning(); }

private:
    void choose();
    void refresh();
    void showComparison(const core::RunComparison &comparison);
    void showProblem(const QString &message);

    Session &m_session;
    core::Strategy m_strategy;
    QString m_later; ///< project file; empty: none is chosen
    QPushButton *m_choose;
    QLabel *m_file;
    QLabel *m_verdict;
    QLabel *m_notes;
    QTableWidget *m_parts;
    Job<core::RunComparison> m_job; // last: it dies first
};

} // namespace ui
