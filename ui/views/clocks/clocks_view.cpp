#include "ui/views/clocks/clocks_view.h"

#include "ui/models/clock_words.h"
#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/views/clocks/clock_editor.h"
#include "ui/views/clocks/clocks_model.h"
#include "ui/views/clocks/offset_spin_box.h"
#include "ui/widgets/format.h"
#include "ui/widgets/state_page.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

    constexpr int offsetWidth = 220, columnWidth = 110;
    constexpr std::int64_t shownOffsetNs = 250'000; ///< of the screenshot of an edited clock

    QTableView *createTable(ClocksModel &model, QWidget *parent)
    {
        auto *table = new QTableView(parent);
        table->setModel(&model);
        table->setSelectionBehavior(QAbstractItemView::SelectRows);
        table->setSelectionMode(QAbstractItemView::SingleSelection);
        table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        table->setShowGrid(false);
        table->setWordWrap(false);
        table->setTabKeyNavigation(false);
        table->setAccessibleName(ClocksView::tr("Clocks of the ranks"));
        table->verticalHeader()->hide();
        table->verticalHeader()->setDefaultSectionSize(comfortableRowHeight);
        table->horizontalHeader()->setHighlightSections(false);
        offerCsv(*table, QStringLiteral("clocks"));
        return table;
    }

    QLabel *createParagraph(const QString &text, TextRole role, QWidget *parent)
    {
        QLabel *label = createLabel(text, role, parent);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return label;
    }

} // namespace

ClocksView::ClocksView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_editor(new ClockEditor(session, this))
    , m_model(new ClocksModel(this))
    , m_state(new StatePage(this))
    , m_pages(new QStackedLayout(this))
    , m_status(createParagraph({}, TextRole::Normal, this))
    , m_uncertainty(createParagraph({}, TextRole::Normal, this))
    , m_table(createTable(*m_model, this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_pages->addWidget(m_state);
    m_pages->addWidget(createPage());
    connect(&session, &Session::projectChanged, this, &ClocksView::showProject);
    connect(m_table->verticalScrollBar(), &QScrollBar::rangeChanged, this, &ClocksView::limitTable);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ClocksView::showRank);
    showProject();
}

QWidget *ClocksView::createPage()
{
    auto *page = new QWidget(this);
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(space::large, space::large, space::large, space::large);
    column->setSpacing(space::medium);
    column->addWidget(createLabel(tr("Clocks of the ranks"), TextRole::Large, page));
    column->addWidget(m_status);
    column->addWidget(m_uncertainty);
    column->addWidget(createParagraph(
        tr("The offset is added to a rank's times: it is positive where its clock is behind the "
           "reference's, and the drift where it runs slow. \u00b1 says how far an offset may be "
           "off. The residual says how far apart ranks leave "
           "their collectives: it can be large where the offset is sure, since some leave late."),
        TextRole::Secondary, page));
    column->addWidget(createEditor());
    column->addWidget(m_table, 1);
    return page;
}

QWidget *ClocksView::createEditor()
{
    auto *editor = new QWidget(this);
    m_rank = createLabel({}, TextRole::Normal, editor);
    m_offset = new OffsetSpinBox(editor);
    m_offset->setFixedWidth(offsetWidth);
    m_offset->setAccessibleName(tr("Offset in microseconds"));
    m_set = new QPushButton(tr("Set the offset"), editor);
    m_solved = new QPushButton(tr("Use the solved offset"), editor);
    m_message = createParagraph({}, TextRole::Secondary, editor);
    auto *row = new QHBoxLayout;
    row->setSpacing(space::small);
    row->addWidget(m_rank);
    row->addWidget(m_offset);
    row->addWidget(createLabel(QStringLiteral("\u00b5s"), TextRole::Normal, editor));
    row->addWidget(m_set);
    row->addWidget(m_solved);
    row->addStretch(1);
    auto *column = new QVBoxLayout(editor);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(row);
    column->addWidget(m_message);
    connect(m_set, &QPushButton::clicked, this, &ClocksView::setOffset);
    connect(m_solved, &QPushButton::clicked, this, &ClocksView::useSolved);
    connect(m_offset, &QAbstractSpinBox::editingFinished, m_set, [this] {
        if (m_offset->hasFocus()) // Enter, not a click elsewhere
            setOffset();
    });
    connect(m_editor, &ClockEditor::failed, m_message, &QLabel::setText);
    connect(m_editor, &ClockEditor::runningChanged, this, [this](bool isRunning) {
        m_message->setText(isRunning ? tr("Aligning the ranks\u2026") : QString());
    });
    return editor;
}

int ClocksView::selectedRow() const
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? -1 : rows.front().row();
}

bool ClocksView::showWhyEmpty()
{
    if (!m_session.isOpen()) {
        m_state->setState({}, tr("No project is open"), tr("Open a project or traces."));
        return true;
    }
    const core::ProjectInfo &info = m_session.reader().info();
    if (info.workers.size() == 1)
        m_state->setState({}, tr("One rank"),
                          tr("There is no other clock to align with. Import the traces of all "
                             "ranks into one project to see how their clocks differ."));
    else if (info.alignment.workers.empty())
        m_state->setState({}, tr("The clocks are not aligned"),
                          tr("This project holds no clocks of its ranks; their times are shown as "
                             "recorded. Import the traces again to align them."));
    return info.workers.size() == 1 || info.alignment.workers.empty();
}

void ClocksView::showProject()
{
    const int row = selectedRow();
    const bool isEmpty = showWhyEmpty();
    m_pages->setCurrentIndex(isEmpty ? 0 : 1);
    m_model->setRows(isEmpty ? std::vector<ClockRow> {} : clockRows(m_session.reader().info()));
    fitColumns();
    if (!isEmpty)
        showStatus(m_session.reader().info());
    if (m_model->rowCount() > 1) // the first is the reference
        m_table->selectRow(row > 0 && row < m_model->rowCount() ? row : 1);
    showRank();
}

/// Offsets of hours keep their microseconds.
void ClocksView::fitColumns()
{
    for (int column = 0; column < ClocksModel::ColumnCount; ++column) {
        m_table->resizeColumnToContents(column);
        m_table->setColumnWidth(column, std::max(columnWidth, m_table->columnWidth(column)));
    }
    limitTable();
}

void ClocksView::limitTable()
{
    const QScrollBar *bar = m_table->verticalScrollBar();
    m_table->setMaximumWidth(m_table->horizontalHeader()->length() + 2 * m_table->frameWidth()
                             + (bar->maximum() > 0 ? bar->sizeHint().width() : 0));
}

void ClocksView::showStatus(const core::ProjectInfo &info)
{
    m_status->setText(unbrokenUnits(QString::fromStdString(info.alignment.status)));
    const auto clocks = core::clockUncertainty(info.alignment, info.tracks, info.iterations);
    m_uncertainty->setText(clocks ? clockUncertaintySentence(*clocks) : QString());
    m_uncertainty->setVisible(clocks.has_value());
}

void ClocksView::showRank()
{
    const int row = selectedRow();
    const bool canSet = row >= 0 && !m_model->row(row).used.isReference;
    m_rank->setText(row < 0 ? tr("No rank is selected")
                            : tr("Rank %1").arg(m_model->row(row).rank));
    m_offset->setOffsetNs(row < 0 ? 0 : m_model->row(row).used.offsetNs);
    m_offset->setEnabled(canSet);
    m_set->setEnabled(canSet);
    m_solved->setEnabled(canSet && m_model->row(row).isByHand);
    m_message->setText(row >= 0 && !canSet
                           ? tr("This is the reference: the other ranks' offsets are to it.")
                           : QString());
}

void ClocksView::setOffset()
{
    const auto offsetNs = m_offset->offsetNs();
    if (!offsetNs) {
        m_message->setText(tr("This is no number of microseconds, such as -3757.250."));
        return;
    }
    if (selectedRow() >= 0 && *offsetNs != m_model->row(selectedRow()).used.offsetNs)
        m_editor->choose(m_model->row(selectedRow()).rank, *offsetNs);
}

void ClocksView::useSolved()
{
    if (selectedRow() >= 0)
        m_editor->choose(m_model->row(selectedRow()).rank, std::nullopt);
}

QStringList ClocksView::screenshotStates() const
{
    return { QStringLiteral("edited") };
}

void ClocksView::enterScreenshotState(const QString &state)
{
    // The project is a file of the user's: the picture shows what would be set.
    showProject();
    if (state == QLatin1String("edited") && m_offset->isEnabled())
        m_offset->setOffsetNs(m_offset->offsetNs().value_or(0) + shownOffsetNs);
}

bool ClocksView::isReadyForScreenshot() const
{
    return !m_editor->isRunning();
}

} // namespace ui
