#include "ui/views/ops/ops_view.h"

#include "core/project/read/project_reader.h"
#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/name_column_fit.h"
#include "ui/widgets/state_page.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <filesystem>
#include <set>

namespace ui {

namespace {

    constexpr int ShapesWidth = 200, FigureWidth = 84, LongestWidth = 100, KindWidth = 128,
                  BandwidthWidth = 88, FilterWidth = 220, LeastFilterWidth = 150,
                  LeastNameWidth = 240;

    QTableView *createTable(QAbstractItemModel &model, QWidget *parent)
    {
        auto *table = new QTableView(parent);
        table->setModel(&model);
        table->setAccessibleName(OpsView::tr("Operations"));
        table->setSortingEnabled(true);
        table->sortByColumn(OpsModel::OwnColumn, Qt::DescendingOrder);
        table->setShowGrid(false);
        table->setWordWrap(false);
        table->setTextElideMode(Qt::ElideMiddle);
        table->setTabKeyNavigation(false);
        table->setSelectionBehavior(QAbstractItemView::SelectRows);
        table->setSelectionMode(QAbstractItemView::SingleSelection);
        table->verticalHeader()->hide();
        table->verticalHeader()->setDefaultSectionSize(denseRowHeight);
        QHeaderView *header = table->horizontalHeader();
        header->setHighlightSections(false);
        table->setColumnWidth(OpsModel::ShapesColumn, ShapesWidth);
        for (int column = OpsModel::KindColumn; column < OpsModel::ColumnCount; ++column)
            table->setColumnWidth(column,
                                  column == OpsModel::KindColumn            ? KindWidth
                                      : column >= OpsModel::AlgorithmColumn ? BandwidthWidth
                                                                            : FigureWidth);
        table->setColumnWidth(OpsModel::LongestColumn, LongestWidth);
        new NameColumnFit(table, OpsModel::NameColumn, LeastNameWidth);
        offerCsv(*table, QStringLiteral("operations"));
        return table;
    }

    QComboBox *createCombo(const QString &name, QWidget *parent)
    {
        auto *combo = new QComboBox(parent);
        combo->setAccessibleName(name);
        combo->setToolTip(toolTipParagraphs(name));
        return combo;
    }

} // namespace

OpsView::OpsView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_state(new StatePage(this))
    , m_pages(new QStackedLayout(this))
    , m_model(new OpsModel(this))
    , m_rows(new OpsFilter(*m_model, this))
    , m_table(createTable(*m_rows, this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_pages->addWidget(m_state);
    m_pages->addWidget(createPage());
    connect(&session, &Session::projectChanged, this, &OpsView::onProjectChanged);
    connect(&session, &Session::analysisChanged, this, &OpsView::onAnalysisChanged);
    connect(m_table, &QTableView::activated, this, &OpsView::showPlace);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &index) { m_find->setEnabled(index.isValid()); });
    connect(&m_job, &JobBase::progressChanged, this,
            [this](double fraction) { m_state->setProgress(fraction); });
    onProjectChanged();
}

QWidget *OpsView::createPage()
{
    auto *page = new QWidget(this);
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(space::large, space::medium, space::large, 0);
    column->setSpacing(space::small);
    column->addWidget(createFilters());
    column->addWidget(m_table, 1);
    return page;
}

QWidget *OpsView::createFilters()
{
    auto *filters = new QWidget(this);
    m_text = new QLineEdit(filters);
    m_text->setPlaceholderText(tr("Filter by name"));
    m_text->setClearButtonEnabled(true);
    m_text->setMinimumWidth(LeastFilterWidth);
    m_text->setMaximumWidth(FilterWidth);
    m_kind = createCombo(tr("Kind of operation"), filters);
    m_kind->addItem(tr("All but annotations"));
    for (std::size_t kind = 0; kind < core::OpTableKinds; ++kind)
        m_kind->addItem(opKindText(static_cast<core::OpTableKind>(kind)), static_cast<int>(kind));
    m_rank = createCombo(tr("Rank"), filters);
    m_iteration = createCombo(tr("Iteration"), filters);
    m_byShapes = new QCheckBox(tr("By input shapes"), filters);
    m_byShapes->setToolTip(toolTipParagraphs(
        tr("Tells calls of one operation apart by the sizes of their arguments.")));
    m_status = createLabel({}, TextRole::Secondary, filters);
    m_find = new QPushButton(tr("Find in the timeline"), filters);
    m_find->setToolTip(
        toolTipParagraphs(tr("Searches the timeline for the operation's name. A double-click or "
                             "Enter shows its longest call.")));
    auto *copy = new QPushButton(tr("Copy as CSV"), filters);
    auto *save = new QPushButton(tr("Save as CSV\u2026"), filters);
    auto *row = new QHBoxLayout(filters);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::small);
    row->addWidget(m_text, 1);
    for (QComboBox *combo : { m_kind, m_rank, m_iteration })
        row->addWidget(combo);
    row->addWidget(m_byShapes);
    row->addWidget(m_status);
    row->addStretch(1);
    for (QPushButton *button : { m_find, copy, save })
        row->addWidget(button);
    connect(m_text, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_rows->setText(text);
        showCount();
    });
    connect(m_kind, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_rows->setKind(index <= 0 ? std::nullopt
                                   : std::optional(static_cast<core::OpTableKind>(index - 1)));
        showCount();
    });
    for (QComboBox *combo : { m_rank, m_iteration })
        connect(combo, &QComboBox::currentIndexChanged, this, &OpsView::refresh);
    connect(m_byShapes, &QCheckBox::toggled, this, &OpsView::refresh);
    connect(m_find, &QPushButton::clicked, this, &OpsView::findAll);
    connect(copy, &QPushButton::clicked, this, &OpsView::copyCsv);
    connect(save, &QPushButton::clicked, this, &OpsView::saveCsv);
    return filters;
}

void OpsView::onProjectChanged()
{
    m_job.cancel();
    m_counted.reset();
    m_shapes.reset();
    m_model->setTable(nullptr);
    m_find->setEnabled(false);
    const QSignalBlocker rank(m_rank), iteration(m_iteration);
    m_rank->clear();
    m_iteration->clear();
    showState();
    onAnalysisChanged();
}

void OpsView::onAnalysisChanged()
{
    if (m_session.trace() == nullptr || m_session.diagnosis() == nullptr)
        return showState();
    m_counted.reset();
    fillFilters();
    refresh();
}

void OpsView::showState()
{
    if (!m_session.isOpen())
        m_state->setState({}, tr("No project is open"), tr("Open a project or traces."));
    else if (!m_session.analysisError().isEmpty())
        m_state->setState(QStringLiteral("warning"), tr("This trace could not be analysed"),
                          m_session.analysisError());
    else
        m_state->setState({}, tr("Counting operations"), tr("Each by its name, on every rank."));
    m_state->setProgress(std::nullopt);
    m_pages->setCurrentIndex(0);
}

void OpsView::fillFilters()
{
    const core::Trace &trace = *m_session.trace();
    const QSignalBlocker rankBlocker(m_rank), iterationBlocker(m_iteration);
    const QVariant rankBefore = m_rank->currentData(), before = m_iteration->currentData();
    m_rank->clear();
    m_rank->addItem(tr("All ranks"));
    for (const core::Worker &worker : trace.workers)
        m_rank->addItem(tr("Rank %1").arg(worker.rank), worker.rank);
    std::set<std::int64_t> numbers;
    for (const core::Iteration &iteration : trace.iterations)
        numbers.insert(iteration.index);
    m_iteration->clear();
    m_iteration->addItem(tr("Whole recording"));
    for (const std::int64_t number : numbers)
        m_iteration->addItem(tr("Iteration %1").arg(number), static_cast<qlonglong>(number));
    m_rank->setCurrentIndex(std::max(0, m_rank->findData(rankBefore)));
    m_iteration->setCurrentIndex(std::max(0, m_iteration->findData(before)));
}

void OpsView::refresh()
{
    const auto trace = m_session.trace();
    const auto diagnosis = m_session.diagnosis();
    if (!isVisible() || trace == nullptr || diagnosis == nullptr)
        return;
    Subject subject;
    if (const QVariant rank = m_rank->currentData(); rank.isValid())
        subject.filter.rank = rank.toInt();
    if (const QVariant iteration = m_iteration->currentData(); iteration.isValid())
        subject.filter.iteration = iteration.toLongLong();
    subject.isByShapes = m_byShapes->isChecked();
    if (m_counted == subject)
        return;
    m_counted = subject;
    const std::filesystem::path project = m_session.reader().path();
    m_job.start(
        [trace, diagnosis, subject, project, shapes = m_shapes](const core::JobControl &control) {
            Counted counted { nullptr, shapes };
            if (subject.isByShapes && shapes == nullptr)
                counted.shapes = trace->shapes
                    ? trace->shapes
                    : std::make_shared<const core::OpShapes>(
                        core::ProjectReader(project).readShapes(*trace, control.part(0, 0.7)));
            counted.table = std::make_shared<const OpTable>(
                core::opTable(*trace, diagnosis->collectives, subject.filter, control.part(0.7, 1),
                              subject.isByShapes ? counted.shapes.get() : nullptr));
            return counted;
        },
        [this](Counted counted) {
            m_shapes = std::move(counted.shapes);
            showTable(std::move(counted.table));
        },
        [this](const QString &message) {
            m_state->setState(QStringLiteral("warning"), tr("Operations could not be counted"),
                              message);
            m_pages->setCurrentIndex(0);
        });
}

void OpsView::showTable(std::shared_ptr<const OpTable> table)
{
    m_model->setTable(std::move(table));
    for (const auto column :
         { OpsModel::ShapesColumn, OpsModel::AlgorithmColumn, OpsModel::BusColumn })
        m_table->setColumnHidden(column, m_model->isEmpty(column));
    m_pages->setCurrentIndex(1);
    showCount();
    if (m_byShapes->isChecked() && m_model->isEmpty(OpsModel::ShapesColumn))
        m_status->setText(tr("No input shapes are recorded."));
}

void OpsView::showCount()
{
    m_status->setText(countText(static_cast<std::size_t>(m_rows->rowCount()), tr("1 operation"),
                                tr("%1 operations")));
}

void OpsView::showPlace(const QModelIndex &index)
{
    if (index.isValid())
        m_session.reveal(m_rows->rowAt(index).longest);
}

void OpsView::findAll()
{
    const QModelIndex index = m_table->currentIndex();
    if (!index.isValid())
        return;
    // In quotes it is one text, whatever it holds; a quote of its own would end it.
    const QString name = QString::fromStdString(m_rows->rowAt(index).name);
    m_session.findInTimeline(u'"' + name.section(u'"', 0, 0) + u'"');
}

void OpsView::copyCsv()
{
    QGuiApplication::clipboard()->setText(tableCsv(*m_rows));
    m_status->setText(tr("Copied."));
}

void OpsView::saveCsv()
{
    const QString folder = QFileInfo(m_session.projectPath()).absolutePath();
    const QString said
        = saveCsvAs(*this, tableCsv(*m_rows), folder + QStringLiteral("/operations.csv"));
    if (!said.isEmpty())
        m_status->setText(said);
}

void OpsView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    refresh();
}

QStringList OpsView::screenshotStates() const
{
    return { QStringLiteral("communication"), QStringLiteral("shapes") };
}

void OpsView::enterScreenshotState(const QString &state)
{
    m_byShapes->setChecked(state == QStringLiteral("shapes"));
    m_kind->setCurrentIndex(state == QStringLiteral("communication")
                                ? 1 + static_cast<int>(core::OpTableKind::Communication)
                                : 0);
}

bool OpsView::isReadyForScreenshot() const
{
    return !m_job.isRunning();
}

} // namespace ui
