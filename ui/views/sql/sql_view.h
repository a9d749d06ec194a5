#pragma once

#include "core/project/read/project_reader.h"
#include "ui/jobs/job.h"
#include "ui/views/sql/query_history.h"
#include "ui/views/sql/schema_tree.h"
#include "ui/widgets/screenshot_states.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QMenu;
class QPushButton;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace ui {

class QueryEditor;
class QueryModel;
class SchemaTree;
class Session;
class StatePage;

/// SQL on everything in the project: tables, a statement, its rows. A row that names a slice or a
/// time leads to the timeline.
class SqlView : public QWidget, public ScreenshotStates
{
    Q_OBJECT

public:
    SqlView(Session &session, QWidget *parent);

    QStringList screenshotStates() const override;
    void enterScreenshotState(const QString &state) override;
    bool isReadyForScreenshot() const override;

private:
    struct Answer
    {
        std::shared_ptr<const core::QueryResult> result;
        std::int64_t tookMs = 0;
    };

    QWidget *createPage();
    QWidget *createStatement();
    QWidget *createResult();
    void showProject();
    void forgetTimes(); ///< of collectives: clocks, facts or the graph are others
    void run();
    void showAnswer(const Answer &answer);
    void fillHistory();
    void use(const QString &sql); ///< puts it into the editor, where it can be undone
    void showPlace(int row);
    void markRows();
    void forgetMarked(); ///< the status before, where it tells of marks
    void copyCsv();
    void saveCsv();

    Session &m_session;
    core::CollectiveTimesSource m_times; ///< of the statements of one state of the project
    QString m_projectPath;
    int m_opening = 0;
    QString m_rowsText, m_markedText; ///< status before and after the last marks
    QueryHistory m_history;
    StatePage *m_state;
    QStackedLayout *m_pages;
    SchemaTree *m_schema;
    QueryEditor *m_editor;
    QueryModel *m_model;
    QSortFilterProxyModel *m_sorted;
    QTableView *m_table;
    QLabel *m_status;
    QPushButton *m_run = nullptr;
    QPushButton *m_show = nullptr;
    QPushButton *m_mark = nullptr;
    QPushButton *m_copy = nullptr;
    QPushButton *m_save = nullptr;
    QMenu *m_historyMenu = nullptr;
    Job<std::vector<SchemaTable>> m_schemaJob;
    Job<Answer> m_queryJob;
};

} // namespace ui
