#include "ui/views/timeline/search_panel.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/views/timeline/search_hits_model.h"
#include "ui/widgets/dense_table.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace ui {

SearchPanel::SearchPanel(QWidget *parent)
    : QWidget(parent)
    , m_summary(createLabel({}, TextRole::Secondary, this))
    , m_model(new SearchHitsModel(this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_table(new QTableView(this))
    , m_mark(new QPushButton(tr("Mark in the timeline"), this))
    , m_copy(new QPushButton(tr("Copy as CSV"), this))
{
    setAutoFillBackground(true);
    setMinimumHeight(140);
    createTable();
    m_mark->setToolTip(
        toolTipParagraphs(tr("Keep a mark over each hit, in the order of the table, at most "
                             "1,000. Ctrl+Z removes them.")));
    auto *close = new QToolButton(this);
    close->setIcon(themedIcon(QStringLiteral("close"), palette()));
    close->setToolTip(toolTipParagraphs(tr("Hide the table; the hits stay marked")));
    close->setAccessibleName(tr("Hide the table of hits"));
    connect(close, &QToolButton::clicked, this, &SearchPanel::closeRequested);
    connect(m_mark, &QPushButton::clicked, this, [this] { emit marksRequested(ranges()); });
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(tableCsv(*m_sorted)); });
    auto *head = new QHBoxLayout;
    head->setContentsMargins(space::medium, space::tiny, space::small, space::tiny);
    head->setSpacing(space::small);
    head->addWidget(m_summary, 1);
    for (QWidget *widget : std::initializer_list<QWidget *> { m_mark, m_copy, close })
        head->addWidget(widget);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(m_table, 1);
    showCount();
}

void SearchPanel::createTable()
{
    setUpSortedTable(*m_table, *m_model, *m_sorted, SearchHitsModel::SortRole,
                     SearchHitsModel::StartColumn);
    m_table->setAccessibleName(tr("Hits of the search"));
    constexpr int FigureWidth = 96, RankWidth = 60, TrackWidth = 190;
    for (int column = 0; column < SearchHitsModel::ColumnCount; ++column)
        m_table->setColumnWidth(column, FigureWidth);
    m_table->setColumnWidth(SearchHitsModel::RankColumn, RankWidth);
    m_table->setColumnWidth(SearchHitsModel::TrackColumn, TrackWidth);
    m_table->horizontalHeader()->setSectionResizeMode(SearchHitsModel::NameColumn,
                                                      QHeaderView::Stretch);
    offerCsv(*m_table, QStringLiteral("hits"));
    connect(m_table, &QTableView::clicked, this, &SearchPanel::activate);
    connect(m_table, &QTableView::activated, this, &SearchPanel::activate);
}

void SearchPanel::showHits(std::shared_ptr<const std::vector<SearchHit>> hits, bool isCut,
                           std::int64_t originNs)
{
    m_hits = std::move(hits);
    m_isCut = isCut;
    m_total.reset();
    m_model->setHits(m_hits, originNs);
    showCount();
}

void SearchPanel::showTotal(std::uint64_t total)
{
    m_total = total;
    showCount();
}

void SearchPanel::showMarked(std::size_t added, std::size_t known)
{
    showCount();
    m_summary->setText(QStringLiteral("%1; %2").arg(m_summary->text(), markedText(added, known)));
    m_isMarkedShown = true;
}

void SearchPanel::forgetMarked()
{
    if (m_isMarkedShown)
        showCount();
}

void SearchPanel::showMessage(const QString &message)
{
    m_hits.reset();
    m_model->setHits(nullptr, 0);
    showCount();
    m_summary->setText(message);
}

void SearchPanel::setIterations(std::vector<TimelineIteration> iterations)
{
    m_model->setIterations(std::move(iterations));
}

void SearchPanel::showCount()
{
    m_isMarkedShown = false;
    const std::size_t count = m_hits == nullptr ? 0 : m_hits->size();
    m_mark->setEnabled(count > 0);
    m_copy->setEnabled(count > 0);
    if (count == 0)
        m_summary->setText(tr("No hits"));
    else if (!m_isCut)
        m_summary->setText(countText(count, tr("1 hit"), tr("%1 hits")));
    else if (m_total)
        m_summary->setText(
            tr("The first %1 of %2 hits").arg(formatCount(count), formatCount(*m_total)));
    else
        m_summary->setText(tr("The first %1 hits; there are more").arg(formatCount(count)));
}

void SearchPanel::followSelection(core::SliceId slice)
{
    const auto row = m_model->rowOf(slice);
    if (!row)
        return m_table->clearSelection();
    const QModelIndex index = m_sorted->mapFromSource(m_model->index(*row, 0));
    m_table->setCurrentIndex(index);
    m_table->scrollTo(index);
}

void SearchPanel::focusTable()
{
    m_table->setFocus();
    if (!m_table->currentIndex().isValid() && m_sorted->rowCount() > 0)
        m_table->setCurrentIndex(m_sorted->index(0, 0));
}

void SearchPanel::activate(const QModelIndex &index)
{
    emit hitActivated(m_model->hit(m_sorted->mapToSource(index).row()).id);
}

std::vector<core::TimeRange> SearchPanel::ranges() const
{
    std::vector<core::TimeRange> all;
    all.reserve(static_cast<std::size_t>(m_sorted->rowCount()));
    for (int row = 0; row < m_sorted->rowCount(); ++row)
        all.push_back(m_model->hit(m_sorted->mapToSource(m_sorted->index(row, 0)).row()).range);
    return all;
}

} // namespace ui
