#pragma once

#include "ui/jobs/job.h"
#include "ui/views/ops/ops_model.h"
#include "ui/widgets/screenshot_states.h"

#include <QWidget>

#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedLayout;
class QTableView;

namespace ui {

class Session;
class StatePage;

/// All operations of the trace by name: own time, count, durations, bandwidth. Filters by kind,
/// rank, iteration and name. A row leads to its longest call, and to all of them.
class OpsView : public QWidget, public ScreenshotStates
{
    Q_OBJECT

public:
    OpsView(Session &session, QWidget *parent);

    QStringList screenshotStates() const override;
    void enterScreenshotState(const QString &state) override;
    bool isReadyForScreenshot() const override;

protected:
    void showEvent(QShowEvent *event) override;

private:
    QWidget *createPage();
    QWidget *createFilters();
    void onProjectChanged();
    void onAnalysisChanged();
    void fillFilters();
    void showState(); ///< instead of the table
    void refresh(); ///< counts anew, once the page is seen
    void showCount();
    void showPlace(const QModelIndex &index);
    void findAll();
    void copyCsv();
    void saveCsv();

    Session &m_session;
    StatePage *m_state;
    QStackedLayout *m_pages;
    OpsModel *m_model;
    OpsFilter *m_rows;
    QTableView *m_table;
    QComboBox *m_kind = nullptr;
    QComboBox *m_rank = nullptr;
    QComboBox *m_iteration = nullptr;
    QLineEdit *m_text = nullptr;
    QLabel *m_status = nullptr;
    QPushButton *m_find = nullptr;
    std::optional<core::OpTableFilter> m_counted; ///< what the table is of
    Job<std::shared_ptr<const OpTable>> m_job;
};

} // namespace ui
