#include "ui/views/strategies/strategies_view.h"

#include "core/base/error.h"
#include "core/optimize/pass_list.h"
#include "core/optimize/search_words.h"
#include "ui/session/session.h"
#include "ui/session/strategy_search.h"
#include "ui/session/strategy_shelf.h"
#include "ui/theme/measures.h"
#include "ui/views/strategies/best_curve.h"
#include "ui/views/strategies/candidates_model.h"
#include "ui/views/strategies/config_pane.h"
#include "ui/views/strategies/later_run_pane.h"
#include "ui/views/strategies/part_bars.h"
#include "ui/views/strategies/pass_panel.h"
#include "ui/views/strategies/published_button.h"
#include "ui/views/strategies/saved_list.h"
#include "ui/views/strategies/steps_model.h"
#include "ui/widgets/format.h"
#include "ui/widgets/name_column_fit.h"
#include "ui/widgets/state_page.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QAbstractTextDocumentLayout>
#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabWidget>
#include <QTableView>
#include <QTextDocument>
#include <QVBoxLayout>
#include <QtMath>

#include <algorithm>

namespace ui {

namespace {

    constexpr int LeftWidth = 320, LeastNameWidth = 240;
    constexpr int CurveHeight = 180, ResultsHeight = 130;

    QTableView *createTable(QAbstractItemModel &model, const QString &name, QWidget *parent)
    {
        auto *table = new QTableView(parent);
        table->setModel(&model);
        table->setSelectionBehavior(QAbstractItemView::SelectRows);
        table->setSelectionMode(QAbstractItemView::SingleSelection);
        table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        table->setShowGrid(false);
        table->setWordWrap(false);
        table->setTabKeyNavigation(false);
        table->setAccessibleName(name);
        table->verticalHeader()->hide();
        table->verticalHeader()->setDefaultSectionSize(comfortableRowHeight);
        table->horizontalHeader()->setHighlightSections(false);
        return table;
    }

    /// Faster baselines, limits that had an effect or none, families that could not be searched.
    QStringList notesOf(const core::SearchResult &result)
    {
        QStringList notes;
        for (const std::string &note : core::searchNotes(result))
            notes << unbrokenUnits(QString::fromStdString(note));
        const auto dropped
            = std::count_if(result.steps.begin(), result.steps.end(),
                            [](const core::SearchStep &step) { return step.isTooLarge; });
        if (dropped > 0)
            notes << StrategiesView::tr("Dropped, as they need more memory: %1.").arg(dropped);
        if (!result.memoryUnknown.empty())
            notes << StrategiesView::tr("The memory limit had no effect: %1")
                         .arg(QString::fromStdString(result.memoryUnknown));
        for (const auto &pass : core::passes()) {
            const auto found = result.obstacles.find(std::string(pass->info().name));
            if (found != result.obstacles.end())
                notes << StrategiesView::tr("%1 was not searched: %2")
                             .arg(QString::fromUtf8(pass->info().title.data(),
                                                    qsizetype(pass->info().title.size())),
                                  QString::fromStdString(found->second));
        }
        return notes;
    }

    /// The text of a found strategy as `longpole optimize -o` writes it. Worker or GUI thread.
    std::string fileOf(const core::SearchResult &result, const core::Candidate &candidate,
                       const core::Predictor &predictor, std::uint64_t seed)
    {
        return core::strategyText(result, &candidate, predictor.job(), { "window", seed });
    }

} // namespace

StrategiesView::StrategiesView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_shelf(&session.shelf())
    , m_candidates(new CandidatesModel(this))
    , m_steps(new StepsModel(this))
    , m_state(new StatePage(this))
    , m_pages(new QStackedLayout(this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_pages->addWidget(m_state);
    m_pages->addWidget(createPage());
    createActions();
    StrategySearch &search = session.search();
    connect(&session, &Session::projectChanged, this, &StrategiesView::onProjectChanged);
    connect(&session, &Session::analysisChanged, this, &StrategiesView::onAnalysisChanged);
    connect(&session, &Session::predictionChanged, this,
            [this] { m_panel->setEnvironment(m_session.strategy()); });
    connect(&session, &Session::searchRequested, this, [this] {
        if (m_session.search().result() == nullptr && !m_session.search().isRunning())
            startSearch();
    });
    connect(&search, &StrategySearch::stateChanged, this, &StrategiesView::showSearch);
    connect(&search, &StrategySearch::stepsAdded, this, &StrategiesView::showSteps);
    connect(&search, &StrategySearch::failed, m_progress, &QLabel::setText);
    connect(m_shelf, &StrategyShelf::failed, m_progress, &QLabel::setText);
    onProjectChanged();
}

StrategiesView::~StrategiesView() = default;

QWidget *StrategiesView::createPage()
{
    auto *page = new QSplitter(Qt::Horizontal, this);
    page->setChildrenCollapsible(false);
    page->addWidget(createLeft());
    page->addWidget(createRight());
    page->setStretchFactor(1, 1);
    page->setSizes({ LeftWidth, 4 * LeftWidth });
    return page;
}

QWidget *StrategiesView::createLeft()
{
    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(space::large, space::large, space::large, space::large);
    column->setSpacing(space::huge);
    m_panel = new PassPanel(content);
    m_saved = new SavedList(*m_shelf, content);
    m_published = new PublishedButton(
        m_session, [this] { return m_panel->request().environment; }, content);
    column->addWidget(m_panel);
    column->addWidget(m_saved, 1);
    auto *scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(LeftWidth);
    scroll->setAccessibleName(tr("Search"));
    connect(m_panel, &PassPanel::searchRequested, this, &StrategiesView::startSearch);
    connect(m_panel, &PassPanel::pauseRequested, this,
            [this](bool paused) { m_session.search().setPaused(paused); });
    connect(m_panel, &PassPanel::stopRequested, this, [this] { m_session.search().stop(); });
    connect(m_published, &PublishedButton::chosen, this, &StrategiesView::showPublished);
    connect(m_published, &PublishedButton::failed, this,
            [this](const QString &message) { m_progress->setText(message); });
    connect(m_saved, &SavedList::strategyChosen, this, &StrategiesView::showSaved);
    return scroll;
}

QWidget *StrategiesView::createRight()
{
    auto *right = new QWidget(this);
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins(space::large, space::large, space::large, space::large);
    column->setSpacing(space::small);
    m_verdict = createLabel({}, TextRole::Large, right);
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_progress = createLabel({}, TextRole::Secondary, right);
    m_progress->setWordWrap(true);
    m_baselines = createLabel({}, TextRole::Secondary, right);
    m_baselines->setWordWrap(true);
    m_curve = new BestCurve(right);
    m_curve->setMinimumHeight(CurveHeight);
    auto *parts = new QSplitter(Qt::Vertical, right);
    parts->setChildrenCollapsible(false);
    parts->addWidget(m_curve);
    parts->addWidget(createResults());
    parts->addWidget(createDetails());
    parts->setSizes({ CurveHeight, ResultsHeight, 3 * CurveHeight });
    column->addWidget(m_verdict);
    column->addWidget(m_progress);
    column->addWidget(m_baselines);
    column->addWidget(parts, 1);
    return right;
}

QWidget *StrategiesView::createResults()
{
    m_table = createTable(*m_candidates, tr("Strategies that save time"), this);
    offerCsv(*m_table, QStringLiteral("strategies"));
    QHeaderView *header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    new NameColumnFit(m_table, CandidatesModel::StrategyColumn, LeastNameWidth);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &StrategiesView::showCandidate);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &StrategiesView::showSelection);
    connect(m_table, &QTableView::activated, this, &StrategiesView::compareShown);
    return m_table;
}

QWidget *StrategiesView::createDetails()
{
    auto *details = new QWidget(this);
    m_name = createLabel({}, TextRole::Large, details);
    m_name->setWordWrap(true);
    m_continue = new QPushButton(tr("Search on from here"), details);
    m_continue->setToolTip(
        toolTipParagraphs(tr("Searches the chosen families, starting with this strategy")));
    m_compare = new QPushButton(tr("Show in Compare"), details);
    m_save = new QPushButton(tr("Save in the project"), details);
    auto *row = new QHBoxLayout;
    row->setSpacing(space::small);
    row->addWidget(m_published);
    row->addWidget(m_continue);
    row->addWidget(m_compare);
    row->addWidget(m_save);
    row->addStretch(1);
    m_config = new ConfigPane(m_session, details);
    m_later = new LaterRunPane(m_session, details);
    m_tabs = new QTabWidget(details);
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("About the strategy"));
    m_tabs->tabBar()->setAccessibleName(tr("About the strategy"));
    m_tabs->addTab(createWhy(), tr("Why"));
    m_tabs->addTab(m_config, tr("Export"));
    m_tabs->addTab(m_later, tr("Did it keep its promise?"));
    auto *column = new QVBoxLayout(details);
    column->setContentsMargins(0, space::medium, 0, 0);
    column->setSpacing(space::small);
    column->addWidget(m_name);
    column->addLayout(row);
    column->addWidget(m_tabs, 1);
    connect(m_continue, &QPushButton::clicked, this, [this] {
        if (m_shown)
            startSearchFrom(m_shown->strategy);
    });
    connect(m_compare, &QPushButton::clicked, this, &StrategiesView::compareShown);
    connect(m_save, &QPushButton::clicked, this, &StrategiesView::saveShown);
    connect(m_tabs, &QTabWidget::currentChanged, this, &StrategiesView::showTab);
    showTab();
    return details;
}

/// Work for the tab that is looked at, and for no other.
void StrategiesView::showTab()
{
    m_config->setShown(m_tabs->currentWidget() == m_config);
    m_later->setShown(m_tabs->currentWidget() == m_later);
}

/// Its changes and their effect, above the steps of the search.
QWidget *StrategiesView::createWhy()
{
    auto *why = new QWidget(this);
    m_why = new QPlainTextEdit(why);
    m_why->setReadOnly(true);
    m_why->setFrameShape(QFrame::NoFrame);
    m_why->setAccessibleName(tr("Why"));
    connect(m_why->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged,
            this, [this](const QSizeF &lines) { // as high as its text, where there is room
                m_why->setMaximumHeight(qCeil(lines.height() + 1)
                                        * m_why->fontMetrics().lineSpacing());
            });
    m_stepTable = createTable(*m_steps, tr("How it was found"), why);
    offerCsv(*m_stepTable, QStringLiteral("steps"));
    m_stepTable->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_stepTable->horizontalHeader()->setStretchLastSection(true);
    auto *column = new QVBoxLayout(why);
    column->setContentsMargins(0, space::small, 0, 0);
    column->setSpacing(space::small);
    m_parts = new PartBars(why);
    column->addWidget(m_why, 1);
    column->addWidget(m_parts);
    column->addWidget(m_stepTable, 1);
    return why;
}

void StrategiesView::createActions()
{
    auto *copy = new QAction(tr("Copy the config"), this);
    copy->setShortcut(QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_C));
    connect(copy, &QAction::triggered, m_config, &ConfigPane::copy);
    copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(copy);
}

void StrategiesView::onProjectChanged()
{
    m_obstaclesJob.cancel();
    m_published->cancel();
    m_panel->setEnvironment({});
    m_panel->setObstacles({});
    m_later->clear();
    showNothing();
    onAnalysisChanged();
    showSearch();
}

void StrategiesView::onAnalysisChanged()
{
    const auto diagnosis = m_session.diagnosis();
    const bool isUsable
        = diagnosis != nullptr && diagnosis->isOfOneJob && m_session.predictor() != nullptr;
    m_panel->setUsable(isUsable);
    m_pages->setCurrentIndex(isUsable ? 1 : 0);
    if (isUsable) {
        const auto memory = m_session.peakMemory();
        const auto why = memory ? memory->unknown : std::nullopt;
        m_panel->setMemory(
            memory ? memory->measuredBytes() : std::nullopt,
            tr("Peak memory is not known: %1")
                .arg(QString::fromStdString(why.value_or("allocations are not recorded."))));
        m_published->showFacts();
        return findObstacles();
    }
    if (!m_session.isOpen())
        return m_state->setState({}, tr("No project is open"), tr("Open a project or traces."));
    if (!m_session.analysisError().isEmpty())
        return m_state->setState(QStringLiteral("warning"), tr("Nothing can be searched"),
                                 m_session.analysisError());
    if (diagnosis != nullptr)
        return m_state->setState(QStringLiteral("warning"), tr("Nothing can be searched"),
                                 unbrokenUnits(QString::fromStdString(diagnosis->verdict)));
    m_state->setState({}, tr("Analysing the trace"),
                      tr("The search starts from the replay of all ranks."));
}

void StrategiesView::findObstacles()
{
    m_obstaclesJob.start(
        [loaded = m_session.loaded(),
         predictor = m_session.predictor()](const core::JobControl &control) {
            return core::passObstacles(predictorFor(loaded, predictor, control), control);
        },
        [this](const std::map<std::string, std::string> &obstacles) {
            m_panel->setObstacles(obstacles);
        },
        [this](const QString &message) { m_progress->setText(message); });
}

void StrategiesView::startSearch()
{
    startSearchFrom({});
}

void StrategiesView::startSearchFrom(const core::Strategy &start)
{
    core::SearchRequest request = m_panel->request();
    request.start = start;
    if (request.passes.empty())
        return m_progress->setText(tr("No family is chosen that can be searched on this trace."));
    request.wantsBaselines = true;
    showNothing();
    m_session.startSearch(request);
}

void StrategiesView::showSearch()
{
    const StrategySearch &search = m_session.search();
    m_panel->setRunning(search.isRunning(), search.isPaused());
    if (search.isRunning() || search.result() == nullptr) {
        m_candidates->setResult(nullptr);
        m_baselines->hide();
        m_verdict->setText(search.isRunning() ? tr("Searching\u2026")
                                              : tr("Which strategy makes the iteration shorter?"));
        showSteps();
        return;
    }
    showResult();
}

void StrategiesView::showSteps()
{
    const StrategySearch &search = m_session.search();
    const std::int64_t baselineNs
        = search.result() != nullptr ? search.result()->baselineNs : search.baselineNs();
    m_curve->setVisible(baselineNs > 0);
    if (baselineNs == 0)
        return m_progress->setText(
            search.isRunning() ? QString()
                : search.isCutOff()
                ? tr("The search ended: the project was changed. Optimize searches again.")
                : tr("Optimize tries the chosen families and shows what saves time, and why."));
    m_curve->setSteps(baselineNs, search.steps());
    const std::int64_t bestNs = core::bestSoFarNs(baselineNs, search.steps());
    const QString tried
        = countText(search.steps().size(), tr("%1 strategy tried"), tr("%1 strategies tried"));
    m_progress->setText((search.isPaused() ? tr("Paused. %1; best so far %2, now %3.")
                                           : tr("%1; best so far %2, now %3."))
                            .arg(tried, formatDuration(bestNs), formatDuration(baselineNs)));
}

void StrategiesView::showResult()
{
    const auto result = m_session.search().result();
    showSteps();
    m_verdict->setText(unbrokenUnits(QString::fromStdString(core::adviceText(*result))));
    QString text = tr("%1 in %2.")
                       .arg(countText(result->steps.size(), tr("%1 strategy tried"),
                                      tr("%1 strategies tried")),
                            formatDuration(result->wallNs));
    if (result->isStopped)
        text += tr(" Stopped: these are the best so far.");
    if (result->isOutOfTime)
        text += tr(" The time was up: these are the best so far.");
    if (!result->alike.empty())
        text += tr(" The first %1 are within 1 % of each other; the one that is simplest to set "
                   "is advised.")
                    .arg(result->alike.size() + 1);
    if (m_session.search().isOutdated())
        text.prepend(tr("Found before the project was changed: search again. "));
    m_progress->setText((QStringList { text } << notesOf(*result)).join(u'\n'));
    showBaselines(*result);
    m_candidates->setResult(result);
    if (m_candidates->rowCount() > 0)
        m_table->setCurrentIndex(m_candidates->index(0, 0));
}

/// Iterations that others would make of the job, where it can be predicted.
void StrategiesView::showBaselines(const core::SearchResult &result)
{
    QStringList known, details;
    for (const core::Baseline &baseline : result.baselines) {
        const QString title
            = QString::fromUtf8(baseline.title.data(), qsizetype(baseline.title.size()));
        const QString name = title.section(u':', 0, 0);
        if (baseline.predictedNs)
            known << tr("%1 %2").arg(name, formatDuration(*baseline.predictedNs));
        QString detail = baseline.predictedNs ? formatDuration(*baseline.predictedNs)
                                              : QString::fromStdString(baseline.unknown);
        if (baseline.p95Ns)
            detail = tr("%1, 95 % of them up to %2").arg(detail, formatDuration(*baseline.p95Ns));
        details << tr("%1. %2").arg(title, detail);
    }
    m_baselines->setText(tr("For comparison: %1.").arg(known.join(QStringLiteral("; "))));
    m_baselines->setToolTip(toolTipParagraphs(details.join(u'\n')));
    m_baselines->setVisible(!known.isEmpty());
}

void StrategiesView::showCandidate(const QModelIndex &index)
{
    const auto result = m_session.search().result();
    if (!index.isValid() || result == nullptr)
        return;
    const core::Candidate &candidate = m_candidates->candidate(index.row());
    m_saved->clearChoice();
    showStrategy({ QString::fromStdString(candidate.change), candidate.strategy,
                   candidate.explanation, core::stepsTo(*result, candidate),
                   static_cast<std::size_t>(index.row()), candidate.parts, candidate.predictedNs });
}

void StrategiesView::showSaved(std::int64_t id)
{
    const auto predictor = m_session.predictor();
    for (const core::SavedStrategy &saved : m_shelf->strategies()) {
        if (saved.id != id || predictor == nullptr)
            continue;
        try {
            const core::StrategyFile file
                = core::parseStrategyFile(saved.file, saved.name, predictor->job());
            m_table->clearSelection();
            m_table->setCurrentIndex({});
            QStringList notes;
            for (const std::string &note : file.notes)
                notes << QString::fromStdString(note);
            m_progress->setText(notes.join(u'\n'));
            showStrategy({ QString::fromStdString(saved.name),
                           file.strategy,
                           file.explanation,
                           file.steps,
                           {} });
        } catch (const core::Error &error) {
            showNothing();
            m_progress->setText(QString::fromUtf8(error.what()));
        }
        return;
    }
}

void StrategiesView::showPublished(const QString &title, const core::Strategy &strategy,
                                   const QString &times)
{
    if (!times.isEmpty() && (!m_shown || m_shown->name != title))
        return; // another one is looked at by now
    m_saved->clearChoice();
    m_table->clearSelection();
    m_table->setCurrentIndex({});
    std::vector<std::string> lines;
    if (!times.isEmpty())
        lines.push_back(times.toStdString());
    showStrategy({ title, strategy, std::move(lines), {}, {} });
}

void StrategiesView::showStrategy(const Shown &shown)
{
    m_shown = shown;
    m_name->setText(shown.name);
    QStringList lines;
    for (const std::string &line : shown.explanation)
        lines << unbrokenUnits(QString::fromStdString(line));
    m_why->setPlainText(lines.join(u'\n'));
    m_why->setVisible(!lines.isEmpty());
    m_parts->setParts(shown.parts, shown.predictedNs);
    m_steps->setSteps(shown.steps);
    m_config->setStrategy(shown.strategy);
    m_later->setStrategy(shown.strategy);
    m_continue->setEnabled(!shown.strategy.isEmpty());
    m_compare->setEnabled(!shown.strategy.isEmpty());
    m_save->setEnabled(shown.candidate.has_value() && m_shelf->isEditable());
}

void StrategiesView::showNothing()
{
    m_shown.reset();
    m_name->clear();
    m_why->clear();
    m_parts->setParts({}, 0);
    m_steps->setSteps({});
    m_config->clear();
    m_later->setStrategy({});
    m_continue->setEnabled(false);
    m_compare->setEnabled(false);
    m_save->setEnabled(false);
}

/// Two that are selected are compared with each other.
void StrategiesView::showSelection()
{
    const bool areTwo = m_table->selectionModel()->selectedRows().size() == 2;
    m_compare->setText(areTwo ? tr("Compare both") : tr("Show in Compare"));
    m_compare->setToolTip(areTwo ? tr("Shows both timelines, one above the other.")
                                 : tr("Ctrl+click selects a second one to compare it with."));
}

void StrategiesView::compareShown()
{
    if (!m_shown || m_shown->strategy.isEmpty())
        return;
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (m_shown->candidate && rows.size() == 2)
        for (const QModelIndex &row : rows)
            if (static_cast<std::size_t>(row.row()) != *m_shown->candidate)
                m_session.setReference(m_candidates->candidate(row.row()).strategy);
    m_session.predict(m_shown->strategy);
    m_session.showView(QStringLiteral("compare"));
}

void StrategiesView::saveShown()
{
    const auto result = m_session.search().result();
    const auto predictor = m_session.predictor();
    if (!m_shown || !m_shown->candidate || result == nullptr || predictor == nullptr)
        return;
    m_shelf->add(m_shown->name,
                 fileOf(*result, result->candidates[*m_shown->candidate], *predictor,
                        m_session.search().request().seed));
    m_save->setEnabled(false);
}

QStringList StrategiesView::screenshotStates() const
{
    return { QStringLiteral("found"), QStringLiteral("export") };
}

void StrategiesView::enterScreenshotState(const QString &state)
{
    m_tabs->setCurrentIndex(state == QLatin1String("export") ? 1 : 0);
    if (!state.isEmpty() && m_session.search().result() == nullptr
        && !m_session.search().isRunning())
        startSearch();
}

bool StrategiesView::isReadyForScreenshot() const
{
    return !m_obstaclesJob.isRunning() && !m_session.search().isRunning() && !m_config->isBusy()
        && !m_later->isBusy();
}

} // namespace ui
