#pragma once

#include "ui/jobs/job.h"
#include "ui/views/ops/ops_model.h"
#include "ui/widgets/screenshot_states.h"

#include <QWidget>

#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedLayout;
class QTableView;

namespace ui {

class Session;
class StatePage;

/// All operations of the trace by name, or by name and input shapes: own time, count, durations,
/// bandwidth. Filters by kind, rank, iteration and name. A row leads to its longest call, and to
/// all of them.
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
    void showTable(std::shared_ptr<const OpTable> table);
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
    QCheckBox *m_byShapes = nullptr;
    QLineEdit *m_text = nullptr;
    QLabel *m_status = nullptr;
    QPushButton *m_find = nullptr;
    /// What a table is of.
    struct Subject
    {
        core::OpTableFilter filter;
        bool isByShapes = false;

        bool operator==(const Subject &) const = default;
    };
    struct Counted
    {
        std::shared_ptr<const OpTable> table;
        std::shared_ptr<const core::OpShapes> shapes; ///< read for it; may be null
    };
    std::optional<Subject> m_counted;
    std::shared_ptr<const core::OpShapes> m_shapes; ///< of the open project, once read
    Job<Counted> m_job;
};

} // namespace ui
