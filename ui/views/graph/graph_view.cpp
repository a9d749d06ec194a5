#include "ui/views/graph/graph_view.h"

#include "core/base/error.h"
#include "core/measure/typical_iteration.h"
#include "ui/graph/graph_canvas.h"
#include "ui/graph/graph_legend.h"
#include "ui/graph/graph_minimap.h"
#include "ui/graph/graph_scroll_bar.h"
#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/views/graph/block_details.h"
#include "ui/views/graph/graph_export.h"
#include "ui/views/graph/graph_notes.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/format.h"
#include "ui/widgets/state_page.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {

namespace {

    constexpr int DetailsWidth = 280, RanksWidth = 100, MostDepth = 9;

    QToolButton *createButton(const QString &text, const QString &tip, QWidget *parent)
    {
        auto *button = new QToolButton(parent);
        button->setText(text);
        button->setToolTip(toolTipParagraphs(tip));
        button->setAccessibleName(tip);
        return button;
    }

} // namespace

GraphView::GraphView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_canvas(new GraphCanvas(this))
    , m_minimap(new GraphMinimap(*m_canvas, this))
    , m_details(new BlockDetails(this))
    , m_state(new StatePage(this))
    , m_pages(new QStackedLayout(this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_pages->addWidget(m_state);
    m_pages->addWidget(createPage());
    connect(&session, &Session::projectChanged, this, &GraphView::showResult);
    connect(&session, &Session::analysisChanged, this, &GraphView::showResult);
    connect(&session, &Session::predictionChanged, this, &GraphView::showResult);
    connect(&session, &Session::selectionChanged, this, &GraphView::followSession);
    connect(&session, &Session::graphRevealRequested, this, &GraphView::reveal);
    auto *inTimeline = new QAction(tr("Show the block in the timeline"), this);
    inTimeline->setShortcut(QKeySequence(Qt::Key_T));
    inTimeline->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(inTimeline, &QAction::triggered, this, &GraphView::showInTimeline);
    addAction(inTimeline);
    connect(m_canvas, &GraphCanvas::openRequested, this, &GraphView::toggleOpen);
    connect(m_canvas, &GraphCanvas::selectionChanged, this, &GraphView::showSelection);
    connect(m_canvas, &GraphCanvas::searchRequested, this, [this] {
        m_search->setFocus();
        m_search->selectAll();
    });
    connect(m_details, &BlockDetails::timelineRequested, this, &GraphView::showInTimeline);
    connect(m_canvas, &GraphCanvas::blockChosen, this, &GraphView::tellSession);
    connect(m_details, &BlockDetails::blockChosen, m_canvas, &GraphCanvas::choose);
    showResult();
}

GraphView::~GraphView() = default;

QWidget *GraphView::createPage()
{
    auto *page = new QWidget(this);
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(createToolBar());
    auto *split = new QSplitter(page);
    auto *left = new QWidget(split);
    auto *pictures = new QVBoxLayout(left);
    pictures->setContentsMargins(0, 0, 0, 0);
    pictures->setSpacing(0);
    pictures->addWidget(m_minimap);
    auto *body = new QHBoxLayout;
    body->setSpacing(0);
    body->addWidget(m_canvas, 1);
    body->addWidget(new GraphScrollBar(*m_canvas, left));
    pictures->addLayout(body, 1);
    pictures->addWidget(new GraphLegend({ m_canvas }, left));
    m_note = new ElidedLabel(TextRole::Secondary, left);
    m_note->setContentsMargins(space::small, space::tiny, space::small, space::tiny);
    pictures->addWidget(m_note);
    split->addWidget(left);
    split->addWidget(m_details);
    split->setStretchFactor(0, 1);
    split->setSizes({ 1000, DetailsWidth });
    split->setChildrenCollapsible(false);
    column->addWidget(split, 1);
    return page;
}

QWidget *GraphView::createToolBar()
{
    auto *bar = new QWidget(this);
    bar->setAutoFillBackground(true);
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(space::small, space::tiny, space::small, space::tiny);
    row->setSpacing(space::small);
    QToolButton *fit = createButton(tr("Fit"), tr("Show everything (Home)"), bar);
    QToolButton *closer = createButton(QStringLiteral("+"), tr("Zoom in (W)"), bar);
    QToolButton *farther = createButton(QStringLiteral("\u2212"), tr("Zoom out (S)"), bar);
    constexpr double Step = 1.5;
    connect(fit, &QToolButton::clicked, m_canvas, &GraphCanvas::fit);
    connect(closer, &QToolButton::clicked, m_canvas, [this] { m_canvas->zoomBy(Step); });
    connect(farther, &QToolButton::clicked, m_canvas, [this] { m_canvas->zoomBy(1 / Step); });
    createChoices(*bar);
    createNarrowing(*bar);
    QToolButton *exported
        = createButton(tr("Export\u2026"), tr("Write the graph as SVG, PNG, DOT or GraphML"), bar);
    for (QWidget *widget :
         std::initializer_list<QWidget *> { fit, closer, farther, m_which, m_iteration,
                                            m_arrangement, m_level, m_ranks, m_folds, m_depth })
        row->addWidget(widget);
    row->addStretch(1);
    m_found = createLabel({}, TextRole::Secondary, bar);
    row->addWidget(m_found);
    row->addWidget(m_search);
    row->addWidget(exported);
    connectChoices();
    connect(exported, &QToolButton::clicked, this,
            [this] { exportGraph(*m_canvas, titleText(), this); });
    return bar;
}

/// Boxes that choose the graph, the iteration and how it is drawn.
void GraphView::createChoices(QWidget &bar)
{
    m_which = new QComboBox(&bar);
    m_which->addItems({ tr("Recorded job"), tr("What-if") });
    m_which->setAccessibleName(tr("Which graph"));
    m_which->setVisible(false);
    m_iteration = new QComboBox(&bar);
    m_iteration->setAccessibleName(tr("Iteration"));
    m_arrangement = new QComboBox(&bar);
    m_arrangement->addItems({ tr("By time"), tr("By layers") });
    m_arrangement->setToolTip(
        toolTipParagraphs(tr("Left to right by time, or by what waits for what")));
    m_arrangement->setAccessibleName(tr("Arrangement"));
    m_level = new QComboBox(&bar);
    m_level->addItems({ tr("Phases"), tr("Operations") });
    m_level->setToolTip(toolTipParagraphs(tr("Phases: blocks are closed until you open them")));
    m_level->setAccessibleName(tr("Level of detail"));
    m_ranks = new QLineEdit(&bar);
    m_ranks->setPlaceholderText(tr("All ranks"));
    m_ranks->setAccessibleName(tr("Ranks"));
    m_ranks->setToolTip(toolTipParagraphs(tr("Only these ranks, as 0,1,4-7")));
    m_ranks->setMaximumWidth(RanksWidth);
    connect(m_ranks, &QLineEdit::editingFinished, this, &GraphView::chooseRanks);
}

/// Fields that narrow down what is seen.
void GraphView::createNarrowing(QWidget &bar)
{
    m_folds = new QCheckBox(tr("Fold alike ranks"), &bar);
    m_folds->setChecked(true);
    m_depth = new QSpinBox(&bar);
    m_depth->setRange(0, MostDepth);
    m_depth->setSpecialValueText(tr("Neighbours: all"));
    m_depth->setPrefix(tr("Neighbours: "));
    m_depth->setToolTip(
        toolTipParagraphs(tr("Dims what is farther than so many links from the selection")));
    m_depth->setAccessibleName(tr("Depth of the neighbourhood"));
    m_search = new QLineEdit(&bar);
    m_search->setPlaceholderText(tr("Find operations"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(220);
}

void GraphView::connectChoices()
{
    connect(m_which, &QComboBox::activated, this, &GraphView::showResult);
    connect(m_iteration, &QComboBox::activated, this, [this] {
        forgetOutline();
        draw(false);
    });
    connect(m_arrangement, &QComboBox::activated, this, [this](int index) {
        m_options.arrangement
            = index == 1 ? core::Arrangement::ByLayers : core::Arrangement::ByTime;
        draw(false);
    });
    connect(m_level, &QComboBox::activated, this, [this](int index) {
        m_options.level = index == 1 ? core::DetailLevel::Ops : core::DetailLevel::Phases;
        draw(true);
    });
    connect(m_folds, &QCheckBox::toggled, this, [this](bool isOn) {
        m_options.foldsAlikeRanks = isOn;
        draw(true);
    });
    connect(m_depth, &QSpinBox::valueChanged, m_canvas, &GraphCanvas::setNeighbourDepth);
    m_search->setAccessibleName(tr("Find operations"));
    connect(m_search, &QLineEdit::returnPressed, this, &GraphView::findNext);
    connect(m_search, &QLineEdit::textEdited, m_found, &QLabel::clear);
    auto *leave = new QShortcut(
        Qt::Key_Escape, m_search, m_canvas, [this] { m_canvas->setFocus(); }, Qt::WidgetShortcut);
    Q_UNUSED(leave);
}

void GraphView::showResult()
{
    const auto recorded = m_session.isOpen() ? m_session.selfReplay() : nullptr;
    const auto whatIf = m_session.isOpen() ? m_session.prediction() : nullptr;
    const bool hasWhatIf = whatIf != nullptr && whatIf->graph != nullptr;
    m_which->setVisible(hasWhatIf);
    const bool isWhatIf = hasWhatIf && m_which->currentIndex() == 1;
    const auto result = isWhatIf ? whatIf : recorded;
    if (result == nullptr || result->graph == nullptr || result->replay == nullptr) {
        m_job.cancel();
        m_result.reset();
        forgetOutline();
        m_canvas->setDrawing(nullptr, false);
        m_minimap->redraw();
        return showWhyEmpty();
    }
    if (result == m_result)
        return;
    m_result = result;
    forgetOutline();
    listIterations();
    draw(false);
}

void GraphView::chooseRanks()
{
    std::vector<int> ranks;
    try {
        ranks = core::ranksFromText(m_ranks->text().toStdString());
    } catch (const core::Error &error) {
        m_note->setFullText(QString::fromUtf8(error.what()));
        return;
    }
    if (ranks == m_chosenRanks)
        return;
    m_chosenRanks = std::move(ranks);
    forgetOutline();
    draw(false);
}

/// Drops all that rests on it, too.
void GraphView::forgetOutline()
{
    m_outline.reset();
    m_beforeOutline.reset();
    m_options.open.clear();
    m_hits.clear();
    m_toSelect.reset();
}

void GraphView::showWhyEmpty()
{
    m_pages->setCurrentIndex(0);
    if (!m_session.isOpen())
        m_state->setState({}, tr("No project is open"), tr("Open a project to see its graph."));
    else if (!m_session.analysisError().isEmpty())
        m_state->setState(QStringLiteral("error"), tr("There is no graph"),
                          m_session.analysisError());
    else if (m_session.diagnosis() != nullptr)
        m_state->setState(QStringLiteral("info"), tr("There is no graph"),
                          tr("The files are of several jobs, or nothing can be replayed."));
    else
        m_state->setState({}, tr("Building the graph"), tr("The analysis is under way."));
}

/// Draws what changed while nobody looked.
/// No proxy: Tab would leave the page behind it.
void GraphView::focusInEvent(QFocusEvent *)
{
    m_canvas->setFocus();
}

void GraphView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_isStale)
        draw(false);
    else if (m_hasToFollow)
        followSession();
}

void GraphView::listIterations()
{
    m_iteration->clear();
    const auto all = core::commonIterations(*m_session.trace());
    const auto count = static_cast<std::size_t>(std::max(0, m_result->graph->iterationCount));
    for (std::size_t i = 0; i < count; ++i)
        m_iteration->addItem(i < all.size() ? tr("Iteration %1").arg(all[i].index)
                                            : tr("Iteration %1").arg(i));
    m_iteration->setCurrentIndex(
        static_cast<int>(core::longestKind(*m_result, m_result->typicalIteration)));
    m_iteration->setVisible(count > 1);
}

void GraphView::draw(bool keepsView)
{
    if (m_result == nullptr)
        return;
    m_isStale = !isVisible();
    if (m_isStale)
        return m_job.cancel();
    m_keepsView = keepsView && (m_keepsView || !m_job.isRunning());
    GraphRequest request { m_session.trace(),
                           m_result,
                           static_cast<std::size_t>(std::max(0, m_iteration->currentIndex())),
                           m_options,
                           m_chosenRanks,
                           m_outline,
                           m_result->strategy.isEmpty() ? nullptr : m_session.selfReplay(),
                           m_beforeOutline };
    m_job.start([request = std::move(request)](
                    const core::JobControl &control) { return makePicture(request, control); },
                [this](const GraphPicture &picture) { showPicture(picture); },
                [this](const QString &message) {
                    m_pages->setCurrentIndex(0);
                    m_state->setState(QStringLiteral("error"), tr("The graph cannot be drawn"),
                                      message);
                });
}

void GraphView::showPicture(const GraphPicture &picture)
{
    if (picture.drawing->lanes.empty())
        return m_note->setFullText(tr("Nothing of this iteration is recorded of these ranks"));
    m_outline = picture.outline;
    m_beforeOutline = picture.beforeOutline;
    m_note->setFullText(graphNotes(picture, titleText(), durationNs()));
    m_pages->setCurrentIndex(1);
    m_canvas->setDrawing(picture.drawing, m_keepsView, picture.difference);
    m_keepsView = true;
    m_minimap->redraw();
    if (m_wanted != nullptr)
        return showWanted();
    if (m_toSelect) {
        selectKey(*std::exchange(m_toSelect, std::nullopt));
        if (std::exchange(m_tellsWhenDrawn, false))
            tellSession();
    } else if (std::exchange(m_hasToFollow, false)) {
        followSession();
    }
}

void GraphView::selectKey(const core::BlockKey &key)
{
    const std::vector<core::DrawnBlock> &blocks = m_canvas->drawing()->blocks;
    const auto found
        = std::find_if(blocks.begin(), blocks.end(),
                       [&key](const core::DrawnBlock &block) { return core::keyOf(block) == key; });
    if (found == blocks.end())
        return;
    const auto index = static_cast<std::uint32_t>(found - blocks.begin());
    m_canvas->select(index);
    if (std::exchange(m_framesSelection, false))
        m_canvas->focusSelection();
    else
        m_canvas->ensureVisible(index);
}

std::int64_t GraphView::durationNs() const
{
    return core::slowestNs(m_result->iterations,
                           static_cast<std::size_t>(std::max(0, m_iteration->currentIndex())));
}

QString GraphView::titleText() const
{
    if (m_outline == nullptr)
        return {};
    const QString duration = formatDuration(durationNs());
    const QString iteration = m_iteration->currentText();
    return m_result->strategy.isEmpty() ? tr("%1, replayed: %2").arg(iteration, duration)
                                        : tr("%1, predicted: %2").arg(iteration, duration);
}

void GraphView::toggleOpen(const core::BlockKey &block)
{
    if (m_options.open.erase(block) == 0)
        m_options.open.insert(block);
    draw(true);
}

void GraphView::showSelection()
{
    const auto selected = m_canvas->selected();
    if (!selected || m_canvas->drawing() == nullptr)
        return m_details->showNothing();
    m_details->showBlock(*m_canvas->drawing(), *selected);
}

/// A block of one recorded op is a slice that other views show, too.
void GraphView::tellSession()
{
    if (m_outline == nullptr || !m_canvas->selected())
        return;
    const core::DrawnBlock &block = m_canvas->drawing()->blocks[*m_canvas->selected()];
    if (block.count != 1)
        return;
    const core::SliceId slice = core::sliceOf(*m_outline, { block.lane, block.first });
    if (slice == core::NoSlice)
        return;
    m_isTelling = true;
    m_session.select(slice);
    m_isTelling = false;
}

/// The first recorded op of the block, and of the recorded job the block's time.
void GraphView::showInTimeline()
{
    if (m_outline == nullptr || !m_canvas->selected())
        return;
    const core::DrawnBlock &block = m_canvas->drawing()->blocks[*m_canvas->selected()];
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
        const core::SliceId slice = core::sliceOf(*m_outline, { block.lane, i });
        if (slice == core::NoSlice)
            continue;
        const std::int64_t originNs = m_result->timeOriginNs;
        m_session.reveal(slice,
                         m_result->strategy.isEmpty()
                             ? core::TimeRange { originNs + block.startNs, originNs + block.endNs }
                             : core::TimeRange {});
        return;
    }
}

void GraphView::followSession()
{
    m_hasToFollow = !isVisible();
    if (m_hasToFollow)
        return;
    if (m_isTelling || m_outline == nullptr || m_canvas->drawing() == nullptr
        || !m_session.selectedSlice())
        return;
    const auto place = core::placeOfSlice(*m_outline, *m_session.selectedSlice());
    if (place && isDrawn(*place))
        revealOp(*place);
}

bool GraphView::isDrawn(const core::OpPlace &place) const
{
    const auto &lanes = m_canvas->drawing()->lanes;
    return std::any_of(lanes.begin(), lanes.end(),
                       [&](const core::DrawnLane &lane) { return lane.lane == place.lane; });
}

/// Opens what is around it, and selects it.
void GraphView::revealOp(const core::OpPlace &place)
{
    const std::vector<core::BlockKey> around = core::blocksAround(*m_outline, place);
    if (around.empty())
        return;
    m_toSelect = around.back();
    for (std::size_t i = 0; i + 1 < around.size(); ++i)
        m_options.open.insert(around[i]);
    draw(true);
}

void GraphView::reveal(const GraphSubject &subject)
{
    m_toSelect.reset();
    m_hasToFollow = false;
    m_wanted = std::make_unique<GraphSubject>(subject);
    m_which->setCurrentIndex(subject.isWhatIf ? 1 : 0);
    showResult();
    if (m_result == nullptr)
        return; // it says why there is no graph
    chooseIterationOf(subject);
    if (!m_chosenRanks.empty() && !subject.isPath) {
        m_ranks->clear();
        chooseRanks();
    }
    draw(m_canvas->drawing() != nullptr);
    m_canvas->setFocus();
}

void GraphView::chooseIterationOf(const GraphSubject &subject)
{
    const core::Graph &graph = *m_result->graph;
    const auto op
        = subject.slice == core::NoSlice ? subject.op : core::opOfSlice(graph, subject.slice);
    std::size_t wanted = core::longestKind(*m_result, m_result->typicalIteration);
    if (op && op->value < graph.size() && graph.iteration[op->value] >= 0)
        wanted = static_cast<std::size_t>(graph.iteration[op->value]);
    if (static_cast<int>(wanted) == m_iteration->currentIndex()
        || static_cast<int>(wanted) >= m_iteration->count())
        return;
    m_iteration->setCurrentIndex(static_cast<int>(wanted));
    forgetOutline();
}

std::optional<core::OpPlace> GraphView::placeOf(const GraphSubject &subject) const
{
    if (subject.slice != core::NoSlice)
        return core::placeOfSlice(*m_outline, subject.slice);
    if (!subject.op || subject.op->value >= m_outline->places.size())
        return std::nullopt;
    const core::OpPlace &place = m_outline->places[subject.op->value];
    return place.lane == core::GraphOutline::NoLane ? std::nullopt : std::optional(place);
}

/// A rank that is folded is unfolded for it.
void GraphView::showWanted()
{
    const std::unique_ptr<GraphSubject> subject = std::move(m_wanted);
    if (subject->isPath && m_canvas->selectPath())
        return m_canvas->focusSelection();
    if (subject->isPath)
        return m_note->setFullText(tr("This iteration has no critical path"));
    const auto place = placeOf(*subject);
    if (place && isDrawn(*place)) {
        m_framesSelection = true;
        return revealOp(*place);
    }
    if (place && m_folds->isChecked() && m_outline->alike.standIn[place->lane] != place->lane) {
        m_wanted = std::make_unique<GraphSubject>(*subject);
        m_folds->setChecked(false); // draws anew
        return;
    }
    m_note->setFullText(tr("This operation is not drawn: its thread is nearly idle, or it is in no "
                           "iteration"));
}

void GraphView::findNext()
{
    if (m_outline == nullptr || m_canvas->drawing() == nullptr)
        return;
    if (m_searched != m_search->text() || m_hits.empty()) {
        m_searched = m_search->text();
        m_hits = core::findOps(*m_outline, m_searched.toStdString());
        std::erase_if(m_hits, [this](const core::OpPlace &hit) { return !isDrawn(hit); });
        m_nextHit = 0;
    }
    if (m_hits.empty()) {
        m_found->setText(tr("none"));
        return;
    }
    m_tellsWhenDrawn = true;
    revealOp(m_hits[m_nextHit]);
    m_found->setText(tr("%1 of %2").arg(m_nextHit + 1).arg(m_hits.size()));
    m_nextHit = (m_nextHit + 1) % m_hits.size();
}

QStringList GraphView::screenshotStates() const
{
    return { QStringLiteral("layers"), QStringLiteral("open"), QStringLiteral("selected"),
             QStringLiteral("whatif") };
}

void GraphView::enterScreenshotState(const QString &state)
{
    m_options.arrangement = state == QLatin1String("layers") ? core::Arrangement::ByLayers
                                                             : core::Arrangement::ByTime;
    m_arrangement->setCurrentIndex(state == QLatin1String("layers") ? 1 : 0);
    m_options.level
        = state == QLatin1String("open") ? core::DetailLevel::Ops : core::DetailLevel::Phases;
    m_level->setCurrentIndex(state == QLatin1String("open") ? 1 : 0);
    m_toSelect.reset();
    m_which->setCurrentIndex(state == QLatin1String("whatif") ? 1 : 0);
    showResult();
    if (state == QLatin1String("selected") && m_canvas->drawing() != nullptr) {
        const core::Drawing &drawing = *m_canvas->drawing();
        for (const core::DrawnBlock &block : drawing.blocks)
            if (block.kind == core::BlockKind::Transfer && block.path)
                m_toSelect = core::keyOf(block);
    }
    draw(false);
}

bool GraphView::isReadyForScreenshot() const
{
    return !m_job.isRunning() && m_canvas->drawing() != nullptr;
}

} // namespace ui
