#include "ui/views/summary/summary_view.h"

#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "core/analyze/bottlenecks/bottlenecks.h"
#include "core/analyze/report/iteration_groups.h"
#include "core/analyze/report/period_report.h"
#include "core/analyze/summary_data.h"
#include "ui/models/collectives_model.h"
#include "ui/models/input_summary.h"
#include "ui/session/session.h"
#include "ui/theme/theme.h"
#include "ui/views/summary/bottleneck_row.h"
#include "ui/views/summary/collectives_table.h"
#include "ui/views/summary/figure_row.h"
#include "ui/views/summary/near_critical_list.h"
#include "ui/views/summary/rank_map.h"
#include "ui/views/summary/sentence_list.h"
#include "ui/views/summary/summary_charts.h"
#include "ui/widgets/format.h"
#include "ui/widgets/state_page.h"
#include "ui/widgets/text_label.h"

#include <QChartView>
#include <QEvent>
#include <QGraphicsScene>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>

namespace ui {

namespace {

    constexpr int pageWidth = 1480;
    constexpr int narrowWidth = 1000; ///< below it the charts stand below each other
    constexpr int chartHeight = 280;
    constexpr int maxBottlenecks = 8;

    /// Asks for no height of its own: its layout's minimum is that of paragraphs wrapped to one
    /// word a line, which the scroll area would add as blank space below.
    class Page : public QWidget
    {
    public:
        QSize minimumSizeHint() const override { return { 0, 0 }; }
    };

    /// A heading, an optional quieter line, and what it is about.
    QWidget *createSection(const QString &title, const QString &subtitle, QWidget *content)
    {
        auto *section = new QWidget;
        auto *column = new QVBoxLayout(section);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(2);
        column->addWidget(createLabel(title, TextRole::Large, section));
        if (!subtitle.isEmpty()) {
            QLabel *line = createLabel(subtitle, TextRole::Secondary, section);
            line->setWordWrap(true);
            column->addWidget(line);
        }
        column->addSpacing(space::small);
        column->addWidget(content, 1);
        return section;
    }

    /// A chart with its legend above.
    QWidget *createChartWithLegend(QChartView *chart, const QString &legend)
    {
        auto *both = new QWidget;
        auto *column = new QVBoxLayout(both);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(space::small);
        if (!legend.isEmpty()) {
            QLabel *label = createLabel(legend, TextRole::Small, both);
            label->setTextFormat(Qt::RichText);
            label->setWordWrap(true);
            column->addWidget(label);
        }
        column->addWidget(chart, 1);
        return both;
    }

    /// Its page scrolls, not the chart.
    class StillChartView : public QChartView
    {
    public:
        using QChartView::QChartView;

    protected:
        void wheelEvent(QWheelEvent *event) override { event->ignore(); }
    };

    QChartView *createChartView(QChart *chart, int height, const QString &accessibleName)
    {
        auto *view = new StillChartView(chart);
        view->setRenderHint(QPainter::Antialiasing);
        view->setFrameShape(QFrame::NoFrame);
        view->setMinimumHeight(height);
        view->setBackgroundBrush(Qt::NoBrush);
        view->viewport()->setAutoFillBackground(false);
        view->setAccessibleName(accessibleName);
        view->setFocusPolicy(Qt::NoFocus); // no key does anything in it
        return view;
    }

    /// What a gain is given as a part of: that of rare slow iterations is no median one's.
    QString shareOf(const core::Bottleneck &bottleneck, const core::Diagnosis &diagnosis)
    {
        if (!diagnosis.hasIterations)
            return SummaryView::tr("%1 of the recording");
        return bottleneck.kind == core::SlowIterationsKind ? SummaryView::tr("%1 of the mean")
                                                           : SummaryView::tr("%1 of the iteration");
    }

} // namespace

SummaryView::SummaryView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_state(new StatePage(this))
    , m_scroll(new QScrollArea(this))
    , m_pages(new QStackedLayout(this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_scroll->setProperty("page", true);
    m_scroll->setWidgetResizable(true);
    m_scroll->setAccessibleName(tr("Summary"));
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_pages->addWidget(m_state);
    m_pages->addWidget(m_scroll);
    connect(&session, &Session::analysisChanged, this, &SummaryView::rebuild);
    connect(&session, &Session::gainIntervalsChanged, this, &SummaryView::showGainIntervals);
    connect(&session, &Session::gainIntervalsChanged, this, &SummaryView::settleVerdict);
    connect(&session, &Session::jobProgressChanged, this, &SummaryView::showProgress);
    rebuild();
}

QWidget *SummaryView::picturedPage()
{
    return m_pages->currentWidget() == m_scroll ? m_scroll->widget() : nullptr;
}

void SummaryView::rebuild()
{
    const auto diagnosis = m_session.findings();
    if (diagnosis != nullptr) {
        const bool isDark = themeOf(palette()).isDark;
        if (diagnosis != m_shown || isDark != m_isShownDark) {
            m_shown = diagnosis;
            m_isShownDark = isDark;
            const int position = m_scroll->verticalScrollBar()->value();
            m_scroll->setWidget(createPage(*diagnosis));
            m_scroll->verticalScrollBar()->setValue(position);
        }
        m_pages->setCurrentWidget(m_scroll);
        return;
    }
    m_shown.reset();
    m_pages->setCurrentWidget(m_state);
    if (!m_session.isOpen()) {
        m_state->setState({}, tr("No project is open"), tr("Open a project or traces."));
        m_state->setProgress(std::nullopt);
    } else if (!m_session.analysisError().isEmpty()) {
        m_state->setState(QStringLiteral("warning"), tr("This trace could not be analysed"),
                          m_session.analysisError(),
                          tr("The timeline still shows everything that was recorded."));
        m_state->setProgress(std::nullopt);
        m_state->setAction(tr("Show the timeline"),
                           [this] { m_session.showView(QStringLiteral("timeline")); });
    } else {
        m_state->setState({}, tr("Analysing the trace"),
                          tr("Building the graph of all ranks, replaying it, and looking for what "
                             "holds everything else up."));
        m_state->setProgress(0);
        m_state->setAction(tr("Show the timeline"),
                           [this] { m_session.showView(QStringLiteral("timeline")); });
    }
}

void SummaryView::showProgress(const QString &job, double fraction, const QString &stage)
{
    const bool isLoad = job == QLatin1String("load");
    if ((!isLoad && job != QLatin1String("diagnose")) || !m_session.isRunning(job))
        return;
    m_state->setProgress(isLoad ? fraction / 2 : 0.5 + fraction / 2);
    m_state->setDetail(stage);
}

QWidget *SummaryView::createPage(const core::Diagnosis &diagnosis)
{
    const core::SummaryData summary = core::summarize(diagnosis);
    auto *content = new Page;
    auto *column = new QVBoxLayout(content);
    m_page = content;
    updateMargins();
    column->setSpacing(space::large + space::small);
    column->addWidget(createVerdict(diagnosis, summary));
    if (diagnosis.isOfOneJob) { // else figures of the mixture, and nothing to shorten
        column->addWidget(createFigureRow(summary, themeOf(palette())));
        m_bottlenecks.assign(diagnosis.bottlenecks.size(), nullptr);
        for (const bool areBounds : { false, true })
            if (QWidget *list = createBottlenecks(diagnosis, areBounds))
                column->addWidget(list);
    }
    if (summary.ranks.size() > 1)
        column->addWidget(createRanks(diagnosis, summary));
    if (!diagnosis.nearCritical.steadyState.empty())
        column->addWidget(createNearCritical(diagnosis));
    column->addWidget(createCharts(summary));
    if (!diagnosis.collectives.empty())
        column->addWidget(createCollectives());
    column->addStretch(1);

    return content;
}

QWidget *SummaryView::createVerdict(const core::Diagnosis &diagnosis,
                                    const core::SummaryData &summary)
{
    auto *verdict = new QWidget;
    auto *column = new QVBoxLayout(verdict);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::tiny);
    const auto intervals = m_session.gainIntervals();
    const core::Verdict told
        = core::settledVerdict(diagnosis, intervals ? *intervals : core::GainIntervals());
    column->addWidget(createSentence(told.sentence, TextRole::Title, verdict));
    for (const std::string &remark : told.remarks)
        column->addWidget(createSentence(remark, TextRole::Normal, verdict));
    if (!summary.hasIterations)
        column->addWidget(createLabel(
            tr("No iterations were found in this trace; the figures are of the whole recording."),
            TextRole::Secondary, verdict));
    if (diagnosis.period) {
        column->addWidget(
            createSentence(core::periodText(*diagnosis.period), TextRole::Normal, verdict));
        for (const std::string &text : core::kindTexts(*diagnosis.period))
            column->addWidget(createSentence(text, TextRole::Normal, verdict));
    }
    const bool areSlowTold = told.kind == core::SlowIterationsKind;
    if (diagnosis.iterationGroups && !diagnosis.iterationGroups->areKinds && !areSlowTold)
        column->addWidget(createSentence(core::iterationGroupsText(*diagnosis.iterationGroups),
                                         TextRole::Normal, verdict));
    for (const std::string &text : diagnosis.blindSpots)
        column->addWidget(createSentence(text, TextRole::Secondary, verdict));
    auto *links = new QHBoxLayout;
    links->setSpacing(space::large);
    links->addWidget(createInputLink(verdict));
    if (diagnosis.isOfOneJob && !diagnosis.selfReplay.criticalPath.empty())
        links->addWidget(createPathLink(verdict));
    links->addStretch(1);
    column->addLayout(links);
    return verdict;
}

/// A cause that may cost nothing does not head the page.
void SummaryView::settleVerdict()
{
    const auto intervals = m_session.gainIntervals();
    if (m_shown == nullptr || intervals == nullptr
        || core::settledVerdict(*m_shown, *intervals).sentence == m_shown->verdict)
        return;
    QLayout *column = m_page->layout();
    QWidget *before = column->itemAt(0)->widget();
    delete column->replaceWidget(before, createVerdict(*m_shown, core::summarize(*m_shown)));
    before->deleteLater();
}

QWidget *SummaryView::createPathLink(QWidget *parent)
{
    QPushButton *link = createLink(tr("Show the critical path in the graph"), parent);
    link->setProperty("flush", true);
    link->setToolTip(tr("Selects what an iteration waits for from its begin to its end"));
    connect(link, &QPushButton::clicked, this,
            [this] { m_session.revealInGraph({ .isPath = true }); });
    return link;
}

QWidget *SummaryView::createInputLink(QWidget *parent)
{
    QPushButton *link
        = createLink(inputSentence(summarizeInput(m_session.reader().info())), parent);
    link->setProperty("flush", true); // with the text above
    link->setToolTip(tr("Show what was read of which file"));
    connect(link, &QPushButton::clicked, this,
            [this] { m_session.showView(QStringLiteral("import")); });
    return link;
}

QWidget *SummaryView::createBottlenecks(const core::Diagnosis &diagnosis, bool areBounds)
{
    auto *list = new QWidget;
    auto *column = new QVBoxLayout(list);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    int number = 0;
    for (std::size_t i = 0; i < diagnosis.bottlenecks.size(); ++i)
        if (diagnosis.bottlenecks[i].isBound == areBounds && number < maxBottlenecks)
            column->addWidget(createBottleneck(diagnosis, i, ++number));
    showGainIntervals();
    if (number == 0 && (areBounds || !diagnosis.bottlenecks.empty())) {
        delete list;
        return nullptr;
    }
    if (areBounds)
        return createSection(tr("Upper limits"),
                             tr("Saving per iteration if it took no time at all: no change of its "
                                "kind can save more."),
                             list);
    if (number == 0)
        column->addWidget(createLabel(tr("Nothing was found whose change would shorten it."),
                                      TextRole::Secondary, list));
    return createSection(
        tr("What would shorten it"),
        number > 0 ? tr("Predicted saving per iteration (now %1). Savings overlap: they do not add "
                        "up. A click shows the place in the timeline.")
                         .arg(formatDuration(diagnosis.selfReplay.predictedNs))
                   : QString(),
        list);
}

BottleneckRow *SummaryView::createBottleneck(const core::Diagnosis &diagnosis, std::size_t index,
                                             int number)
{
    core::Bottleneck bottleneck = diagnosis.bottlenecks[index];
    if (core::isReasonTold(bottleneck, diagnosis.verdictRemarks))
        bottleneck.reason.clear();
    const auto facts = m_session.changeFacts();
    auto *row = new BottleneckRow(
        bottleneck, number,
        { diagnosis.bottlenecks.front().gainNs, shareOf(bottleneck, diagnosis) },
        facts != nullptr && core::leadsToSearch(bottleneck, facts->obstacles), nullptr);
    connect(row, &BottleneckRow::searchRequested, &m_session, &Session::requestSearch);
    connect(row, &BottleneckRow::tryRequested, this, [this, strategy = bottleneck.strategy] {
        m_session.predict(strategy);
        m_session.showView(QStringLiteral("compare"));
    });
    connect(row, &BottleneckRow::graphRequested, this,
            [this, slice = bottleneck.slice] { m_session.revealInGraph({ .slice = slice }); });
    connect(row, &QAbstractButton::clicked, this,
            [this, slice = bottleneck.slice, range = bottleneck.range] {
                m_session.reveal(slice, range);
            });
    m_bottlenecks[index] = row;
    return row;
}

/// A map of the ranks, the sentence that says most, and the others where they are asked for.
QWidget *SummaryView::createRanks(const core::Diagnosis &diagnosis,
                                  const core::SummaryData &summary)
{
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::small);
    auto *map = new RankMap(summary, content);
    connect(map, &RankMap::rankActivated, this,
            [this](core::SliceId slice, core::TimeRange range) { m_session.reveal(slice, range); });
    column->addWidget(map);
    if (!diagnosis.rankRemarks.empty()) {
        QPushButton *link = createLink(tr("Who is late, and why"), content);
        link->setProperty("flush", true);
        link->setCheckable(true);
        column->addWidget(link, 0, Qt::AlignLeft);
        QWidget *remarks = createSentenceList(diagnosis.rankRemarks, content);
        remarks->hide();
        column->addWidget(remarks);
        connect(link, &QPushButton::toggled, remarks, &QWidget::setVisible);
    }
    return createSection(
        tr("Ranks"),
        summary.hasIterations
            ? tr(
                "Mean iteration: the stronger the colour, the larger the part of it. A click shows "
                "the rank in the timeline.")
            : tr("The recording: the stronger the colour, the larger the part of it. A click shows "
                 "the rank in the timeline."),
        content);
}

/// They come after the findings.
void SummaryView::showGainIntervals()
{
    const auto intervals = m_session.gainIntervals();
    if (intervals == nullptr)
        return;
    for (std::size_t i = 0; i < std::min(m_bottlenecks.size(), intervals->size()); ++i)
        if (m_bottlenecks[i] != nullptr)
            m_bottlenecks[i]->setGainInterval((*intervals)[i].interval, (*intervals)[i].unknown);
}

QWidget *SummaryView::createNearCritical(const core::Diagnosis &diagnosis)
{
    auto *list = new NearCriticalList(diagnosis.nearCritical, nullptr);
    connect(list, &NearCriticalList::opActivated, this,
            [this](core::SliceId slice, core::TimeRange range) { m_session.reveal(slice, range); });
    return createSection(
        tr("Nearly critical"),
        tr("Operations that become critical if they run longer by their slack (up to %1).")
            .arg(formatDuration(diagnosis.nearCritical.limitNs)),
        list);
}

QWidget *SummaryView::createCharts(const core::SummaryData &summary)
{
    const Theme &theme = themeOf(palette());
    auto *charts = new QWidget;
    m_chartRow = new QBoxLayout(
        width() < narrowWidth ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight, charts);
    m_chartRow->setContentsMargins(0, 0, 0, 0);
    m_chartRow->setSpacing(space::huge);
    std::size_t shown = 0;
    QChart *parts = createPartsChart(summary, theme, shown);
    const QString of = summary.hasIterations ? tr("mean iteration of each rank")
                                             : tr("the recording of each rank");
    const QString subtitle = shown < summary.ranks.size()
        ? tr("%1; the %2 slowest of %3 ranks")
              .arg(of, formatCount(shown), formatCount(summary.ranks.size()))
        : of;
    const int height = std::max(chartHeight, partsChartHeight(shown));
    if (summary.hasIterations) {
        const QString title = tr("Iteration time by rank");
        m_chartRow->addWidget(
            createSection(title,
                          iterationAxisStartNs(summary) > 0
                              ? tr("every iteration of the trace; the axis does not begin at 0")
                              : tr("every iteration of the trace"),
                          createChartWithLegend(
                              createChartView(createIterationChart(summary, theme), height, title),
                              rankLegend(summary, theme))),
            1);
    }
    const QString title = tr("Where the time goes");
    m_chartRow->addWidget(createSection(title, subtitle,
                                        createChartWithLegend(createChartView(parts, height, title),
                                                              partsLegend(summary, theme))),
                          1);
    return charts;
}

QWidget *SummaryView::createCollectives()
{
    auto *table = new CollectivesTable(m_session.findings(), nullptr);
    table->setAccessibleName(tr("Collectives"));
    connect(table, &CollectivesTable::collectiveActivated, this,
            [this](core::SliceId slice, core::TimeRange range) { m_session.reveal(slice, range); });
    auto *part = new QWidget(this);
    auto *column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::small);
    column->addWidget(table);
    if (table->hasMore()) {
        const QString all
            = tr("Show all %1")
                  .arg(formatCount(static_cast<std::uint64_t>(table->model()->rowCount())));
        QPushButton *more = createLink(all, part);
        more->setCheckable(true);
        connect(more, &QPushButton::toggled, table, [table, more, all](bool isAll) {
            table->showAll(isAll);
            more->setText(isAll ? tr("Show fewer") : all);
        });
        column->addWidget(more, 0, Qt::AlignLeft);
    }
    return createSection(
        tr("Collectives"),
        tr("Wait is the time from a rank's own start until the last rank came; "
           "transfer is the rest. Collectives may overlap: their times do not add up. "
           "Double-click shows the place in the timeline."),
        part);
}

void SummaryView::enterScreenshotState(const QString &state)
{
    QScrollBar *bar = m_scroll->verticalScrollBar();
    bar->setValue(state == QLatin1String("end") ? bar->maximum() : 0);
}

void SummaryView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        QMetaObject::invokeMethod(this, &SummaryView::rebuild, Qt::QueuedConnection);
    QWidget::changeEvent(event);
}

void SummaryView::resizeEvent(QResizeEvent *event)
{
    if (m_chartRow != nullptr && m_shown != nullptr)
        m_chartRow->setDirection(width() < narrowWidth ? QBoxLayout::TopToBottom
                                                       : QBoxLayout::LeftToRight);
    updateMargins();
    QWidget::resizeEvent(event);
}

void SummaryView::updateMargins()
{
    if (m_page == nullptr)
        return;
    const int side = std::max(space::huge, (width() - pageWidth) / 2);
    m_page->layout()->setContentsMargins(side, space::huge - space::tiny, side, space::huge);
}

} // namespace ui
