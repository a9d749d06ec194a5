#pragma once

#include "core/change/change.h"
#include "core/compare/run_comparison.h"
#include "ui/jobs/job.h"

#include <QString>
#include <QWidget>

#include <memory>

class QLabel;
class QPushButton;
class QTableWidget;

namespace ui {

class Session;

/// Both runs of a comparison; measured once, compared with the promise of each strategy.
struct MeasuredRuns
{
    std::shared_ptr<const core::MeasuredRun> earlier, later;
};

/// A later run beside the open one, and beside what a strategy promised of it.
class LaterRunPane : public QWidget
{
    Q_OBJECT

public:
    LaterRunPane(Session &session, QWidget *parent);

    /// Compares with its promise, too, once the pane is shown; an empty one promises nothing.
    void setStrategy(const core::Strategy &strategy);
    void clear();
    /// Compares with that project, once the pane is shown; an empty path compares nothing.
    void setLaterRun(const QString &project);
    void setShown(bool shown); ///< shown until the first call
    bool isBusy() const { return m_measuring.isRunning() || m_comparing.isRunning(); }

private:
    void choose();
    void refresh();
    void measure();
    void compare();
    void showComparison(const core::RunComparison &comparison);
    void showProblem(const QString &message);

    Session &m_session;
    core::Strategy m_strategy;
    QString m_later; ///< project file; empty: none is chosen
    MeasuredRuns m_runs; ///< with that file; null until they are measured
    bool m_isShown = true, m_isStale = false;
    QPushButton *m_choose;
    QLabel *m_file;
    QLabel *m_verdict;
    QLabel *m_notes;
    QTableWidget *m_parts;
    // last: they die first
    Job<MeasuredRuns> m_measuring;
    Job<core::RunComparison> m_comparing;
};

} // namespace ui
