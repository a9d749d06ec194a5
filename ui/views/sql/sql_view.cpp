#include "ui/views/sql/sql_view.h"

#include "core/pipeline/collective_times.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/views/sql/query_editor.h"
#include "ui/views/sql/query_model.h"
#include "ui/widgets/dense_table.h"
#include "ui/widgets/format.h"
#include "ui/widgets/state_page.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QTextCursor>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace ui {

namespace {

    constexpr std::size_t MostShownRows = 10'000;
    constexpr int SchemaWidth = 260, EditorHeight = 170, WidestColumn = 480;
    constexpr int MeasuredRows = 200; ///< that tell how wide a column is

    struct Example
    {
        const char *title;
        const char *sql;
    };

    constexpr std::array<Example, 6> Examples { {
        { QT_TRANSLATE_NOOP("ui::SqlView", "Longest operations"),
          "SELECT name, role, sum(slice_count) AS count, sum(dur_ns) AS dur_ns\n"
          "FROM slice_total GROUP BY name, role ORDER BY dur_ns DESC LIMIT 50" },
        { QT_TRANSLATE_NOOP("ui::SqlView", "Longest slices of rank 0"),
          "SELECT id, name, track_name, start_ns, raw_start_ns, dur_ns\n"
          "FROM slice WHERE rank = 0 ORDER BY dur_ns DESC LIMIT 100" },
        { QT_TRANSLATE_NOOP("ui::SqlView", "Collectives"),
          "SELECT rank, name, kind, bytes, dur_ns, start_ns, slice\n"
          "FROM collective ORDER BY dur_ns DESC LIMIT 1000" },
        { QT_TRANSLATE_NOOP("ui::SqlView", "Longest waits in collectives"),
          "SELECT rank, name, matched_group, matched_sequence, wait_ns, transfer_ns, last_rank,\n"
          "       start_ns, dur_ns, slice\n"
          "FROM collective ORDER BY wait_ns DESC LIMIT 10" },
        { QT_TRANSLATE_NOOP("ui::SqlView", "Bytes sent by kind of collective"),
          "SELECT kind, count(*) AS count, sum(bytes) AS bytes, sum(dur_ns) AS dur_ns\n"
          "FROM collective GROUP BY kind ORDER BY bytes DESC" },
        { QT_TRANSLATE_NOOP("ui::SqlView", "Iterations of each rank"),
          "SELECT rank, number, dur_ns, start_ns FROM step ORDER BY number, rank" },
    } };

    /// As `longpole query` does.
    std::unique_ptr<core::ProjectReader> openForQueries(const std::filesystem::path &path,
                                                        core::CollectiveTimesSource times)
    {
        auto reader = std::make_unique<core::ProjectReader>(path);
        reader->offerCollectiveTimes(std::move(times));
        return reader;
    }

    QTableView *createTable(QAbstractItemModel &model, QWidget *parent)
    {
        auto *table = new QTableView(parent);
        table->setModel(&model);
        table->setAccessibleName(SqlView::tr("Rows of the result"));
        table->setSortingEnabled(true);
        table->sortByColumn(-1, Qt::DescendingOrder); // as the statement orders them
        setUpDenseTable(*table);
        table->horizontalHeader()->setResizeContentsPrecision(MeasuredRows);
        table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        offerCsv(*table, QStringLiteral("query"));
        return table;
    }

    QLabel *createStatus(QWidget *parent)
    {
        QLabel *status = createLabel({}, TextRole::Secondary, parent);
        status->setWordWrap(true);
        status->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return status;
    }

} // namespace

SqlView::SqlView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_state(new StatePage(this))
    , m_pages(new QStackedLayout(this))
    , m_schema(new SchemaTree(this))
    , m_editor(new QueryEditor(this))
    , m_model(new QueryModel(this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_table(nullptr)
    , m_status(createStatus(this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(QueryModel::SortRole);
    m_table = createTable(*m_sorted, this);
    m_pages->addWidget(m_state);
    m_pages->addWidget(createPage());
    m_state->setState({}, tr("No project is open"), tr("Open a project or traces."));
    connect(&session, &Session::projectChanged, this, &SqlView::showProject);
    connect(&session, &Session::analysisChanged, this, &SqlView::forgetTimes);
    connect(m_editor, &QueryEditor::runRequested, this, &SqlView::run);
    connect(m_schema, &SchemaTree::nameChosen, m_editor, &QPlainTextEdit::insertPlainText);
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex &index) { showPlace(m_sorted->mapToSource(index).row()); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &index) {
                m_show->setEnabled(
                    m_model->placeOf(m_sorted->mapToSource(index).row()).has_value());
            });
    connect(&session.history().stack(), &QUndoStack::indexChanged, this, &SqlView::forgetMarked);
    connect(&m_queryJob, &JobBase::runningChanged, this, [this](bool isRunning) {
        m_run->setText(isRunning ? tr("Stop") : tr("Run"));
        if (isRunning)
            m_status->setText(tr("Running\u2026"));
    });
    showProject();
}

QWidget *SqlView::createPage()
{
    auto *page = new QSplitter(Qt::Horizontal, this);
    auto *right = new QSplitter(Qt::Vertical, page);
    right->addWidget(createStatement());
    right->addWidget(createResult());
    right->setStretchFactor(1, 1);
    right->setSizes({ EditorHeight, 3 * EditorHeight });
    page->addWidget(m_schema);
    page->addWidget(right);
    page->setStretchFactor(1, 1);
    page->setSizes({ SchemaWidth, 4 * SchemaWidth });
    page->setChildrenCollapsible(false);
    return page;
}

QWidget *SqlView::createStatement()
{
    auto *statement = new QWidget(this);
    m_run = createPrimaryButton(tr("Run"), statement);
    m_run->setToolTip(tr("Run the statement (Ctrl+Enter)"));
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (!m_queryJob.isRunning())
            return run();
        m_queryJob.cancel();
        m_status->setText(tr("Stopped."));
    });
    auto *examples = new QPushButton(tr("Examples"), statement);
    auto *exampleMenu = new QMenu(examples);
    for (const Example &example : Examples)
        exampleMenu->addAction(tr(example.title), this, [this, &example] {
            use(QString::fromUtf8(example.sql));
            run();
        });
    examples->setMenu(exampleMenu);
    auto *history = new QPushButton(tr("History"), statement);
    m_historyMenu = new QMenu(history);
    connect(m_historyMenu, &QMenu::aboutToShow, this, &SqlView::fillHistory);
    history->setMenu(m_historyMenu);
    auto *row = new QHBoxLayout;
    row->setSpacing(space::small);
    for (QPushButton *button : { m_run, examples, history })
        row->addWidget(button);
    row->addStretch(1);
    auto *column = new QVBoxLayout(statement);
    column->setContentsMargins(space::medium, space::medium, space::medium, space::small);
    column->setSpacing(space::small);
    column->addWidget(m_editor, 1);
    column->addLayout(row);
    return statement;
}

QWidget *SqlView::createResult()
{
    auto *result = new QWidget(this);
    m_show = new QPushButton(tr("Show in the timeline"), result);
    m_show->setToolTip(tr("Rows that name a slice, or start_ns and dur_ns (double-click, Enter)"));
    m_mark = new QPushButton(tr("Mark in the timeline"), result);
    m_mark->setToolTip(
        toolTipParagraphs(tr("Keep a mark over each row with start_ns and dur_ns, in the order of "
                             "the table, at most 1,000. Ctrl+Z there removes them.")));
    connect(m_mark, &QPushButton::clicked, this, &SqlView::markRows);
    m_copy = new QPushButton(tr("Copy as CSV"), result);
    m_save = new QPushButton(tr("Save as CSV\u2026"), result);
    connect(m_show, &QPushButton::clicked, this,
            [this] { showPlace(m_sorted->mapToSource(m_table->currentIndex()).row()); });
    connect(m_copy, &QPushButton::clicked, this, &SqlView::copyCsv);
    connect(m_save, &QPushButton::clicked, this, &SqlView::saveCsv);
    auto *row = new QHBoxLayout;
    row->setSpacing(space::small);
    row->addWidget(m_status, 1);
    for (QPushButton *button : { m_show, m_mark, m_copy, m_save }) {
        button->setEnabled(false);
        row->addWidget(button);
    }
    auto *column = new QVBoxLayout(result);
    column->setContentsMargins(space::medium, space::small, space::medium, 0);
    column->setSpacing(space::small);
    column->addLayout(row);
    column->addWidget(m_table, 1);
    return result;
}

void SqlView::forgetTimes()
{
    m_times = m_session.isOpen() ? core::computedOnce(core::collectiveTimesOf(
                  m_session.reader().path(), { m_session.trace(), m_session.graph() }))
                                 : nullptr;
}

void SqlView::showProject()
{
    const QString before = std::exchange(m_projectPath, m_session.projectPath());
    const bool isSame = std::exchange(m_opening, m_session.opening()) == m_session.opening();
    forgetTimes();
    if (m_session.isOpen() && isSame && before != m_projectPath)
        return; // it goes on in a copy, which has the same rows
    m_queryJob.cancel();
    m_schemaJob.cancel();
    m_model->setResult(nullptr);
    m_schema->clear();
    m_status->setText(tr("Ctrl+Enter runs the statement. It reads only."));
    for (QPushButton *button : { m_show, m_mark, m_copy, m_save })
        button->setEnabled(false);
    m_pages->setCurrentIndex(m_session.isOpen() ? 1 : 0);
    if (!m_session.isOpen())
        return;
    m_schemaJob.start(
        [path = m_session.reader().path(), times = m_times](const core::JobControl &) {
            return schemaOf(*openForQueries(path, times));
        },
        [this](std::vector<SchemaTable> tables) { m_schema->setSchema(tables); },
        [this](const QString &message) { m_status->setText(message); });
}

void SqlView::run()
{
    const QString sql = m_editor->toPlainText().trimmed();
    if (!m_session.isOpen() || sql.isEmpty())
        return;
    m_history.add(sql);
    m_queryJob.start(
        [path = m_session.reader().path(), times = m_times,
         text = sql.toStdString()](const core::JobControl &control) {
            QElapsedTimer timer;
            timer.start();
            const auto reader = openForQueries(path, times);
            auto result = std::make_shared<const core::QueryResult>(
                reader->query(text, MostShownRows, control));
            return Answer { std::move(result), timer.elapsed() };
        },
        [this](const Answer &answer) { showAnswer(answer); },
        [this](const QString &message) {
            m_model->setResult(nullptr);
            for (QPushButton *button : { m_show, m_mark, m_copy, m_save })
                button->setEnabled(false);
            m_status->setText(message);
        });
}

void SqlView::showAnswer(const Answer &answer)
{
    m_sorted->sort(-1);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
    m_model->setResult(answer.result);
    m_table->resizeColumnsToContents();
    for (int column = 0; column < m_model->columnCount(); ++column)
        m_table->setColumnWidth(column, std::min(m_table->columnWidth(column), WidestColumn));
    const QString rows = countText(answer.result->rows.size(), tr("1 row"), tr("%1 rows"));
    m_status->setText(
        answer.result->isTruncated
            ? tr("The first %1, in %2 ms; there are more.").arg(rows).arg(answer.tookMs)
            : tr("%1 in %2 ms.").arg(rows).arg(answer.tookMs));
    m_show->setEnabled(false);
    m_mark->setEnabled(m_model->namesTimes());
    for (QPushButton *button : { m_copy, m_save })
        button->setEnabled(m_model->columnCount() > 0);
}

void SqlView::fillHistory()
{
    m_historyMenu->clear();
    for (const QString &sql : m_history.queries()) {
        QAction *action = m_historyMenu->addAction(
            queryTitle(sql).replace(u'&', QStringLiteral("&&")), this, [this, sql] { use(sql); });
        action->setToolTip(toolTipParagraphs(sql));
    }
    if (m_history.queries().isEmpty())
        m_historyMenu->addAction(tr("No statement was run yet"))->setEnabled(false);
    else {
        m_historyMenu->addSeparator();
        m_historyMenu->addAction(tr("Clear"), this, [this] { m_history.clear(); });
    }
}

void SqlView::use(const QString &sql)
{
    QTextCursor cursor(m_editor->document());
    cursor.select(QTextCursor::Document);
    cursor.insertText(sql);
    m_editor->setFocus();
}

void SqlView::showPlace(int row)
{
    if (const auto place = m_model->placeOf(row))
        m_session.reveal(place->slice, place->range);
}

void SqlView::markRows()
{
    std::vector<core::TimeRange> ranges;
    ranges.reserve(static_cast<std::size_t>(m_sorted->rowCount()));
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        const QModelIndex index = m_sorted->mapToSource(m_sorted->index(row, 0));
        if (const auto place = m_model->placeOf(index.row()))
            ranges.push_back(place->range);
    }
    forgetMarked();
    const QString rowsText = m_status->text();
    const MarkCount marks = m_session.mark(ranges);
    const QString rows
        = countText(static_cast<std::uint64_t>(m_sorted->rowCount()), tr("1 row"), tr("%1 rows"));
    m_rowsText = rowsText;
    m_markedText = tr("%1: %2 in the timeline.").arg(rows, markedText(marks.added, marks.known));
    m_status->setText(m_markedText);
}

void SqlView::forgetMarked()
{
    if (m_status->text() == m_markedText)
        m_status->setText(m_rowsText);
}

void SqlView::copyCsv()
{
    QGuiApplication::clipboard()->setText(tableCsv(*m_table->model()));
    m_status->setText(tr("Copied %1.")
                          .arg(countText(static_cast<std::size_t>(m_model->rowCount()), tr("1 row"),
                                         tr("%1 rows"))));
}

void SqlView::saveCsv()
{
    const QString folder = QFileInfo(m_session.projectPath()).absolutePath();
    const QString said
        = saveCsvAs(*this, tableCsv(*m_table->model()), folder + QStringLiteral("/query.csv"));
    if (!said.isEmpty())
        m_status->setText(said);
}

QStringList SqlView::screenshotStates() const
{
    return { QStringLiteral("rows") };
}

void SqlView::enterScreenshotState(const QString &state)
{
    if (state != QLatin1String("rows"))
        return;
    use(QString::fromUtf8(Examples.front().sql));
    run();
}

bool SqlView::isReadyForScreenshot() const
{
    return !m_queryJob.isRunning() && !m_schemaJob.isRunning();
}

} // namespace ui
