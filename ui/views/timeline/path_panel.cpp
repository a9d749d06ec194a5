#include "ui/views/timeline/path_panel.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/dense_table.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ui {

namespace {

    constexpr double LeastStepShare = 0.01; ///< of the path: what Alt+] stops at

    constexpr std::pair<const char *, std::int64_t core::CriticalPathParts::*> PathParts[] = {
        { "compute", &core::CriticalPathParts::computeNs },
        { "comm", &core::CriticalPathParts::commNs },
        { "wait", &core::CriticalPathParts::waitNs },
        { "copy", &core::CriticalPathParts::copyNs },
        { "launch", &core::CriticalPathParts::launchNs },
        { "host", &core::CriticalPathParts::hostNs },
        { "input", &core::CriticalPathParts::inputNs },
        { "idle", &core::CriticalPathParts::idleNs },
    };

    QTreeWidget *createParts(QWidget *parent)
    {
        auto *parts = new QTreeWidget(parent);
        parts->setAccessibleName(PathPanel::tr("Parts of the critical path"));
        parts->setHeaderLabels(
            { PathPanel::tr("Part"), PathPanel::tr("Time"), PathPanel::tr("Share") });
        parts->setRootIsDecorated(false);
        parts->setUniformRowHeights(true);
        parts->header()->setStretchLastSection(false);
        parts->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
        parts->header()->setSectionResizeMode(0, QHeaderView::Stretch);
        for (const int column : { 1, 2 })
            parts->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        offerCsv(*parts, QStringLiteral("critical-path-parts"));
        return parts;
    }

} // namespace

PathPanel::PathPanel(QWidget *parent)
    : QWidget(parent)
    , m_iterations(new QComboBox(this))
    , m_summary(createLabel({}, TextRole::Secondary, this))
    , m_parts(createParts(this))
    , m_model(new PathModel(this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_table(new QTableView(this))
{
    setAutoFillBackground(true);
    setMinimumHeight(140);
    createTable();
    m_iterations->setAccessibleName(tr("Iteration of the critical path"));
    m_iterations->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto *close = new QToolButton(this);
    close->setIcon(themedIcon(QStringLiteral("close"), palette()));
    close->setToolTip(toolTipParagraphs(tr("Hide the critical path (C)")));
    close->setAccessibleName(tr("Hide the critical path"));
    connect(close, &QToolButton::clicked, this, &PathPanel::closeRequested);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(space::medium, space::tiny, space::small, space::tiny);
    head->setSpacing(space::small);
    head->addWidget(createLabel(tr("Critical path of"), TextRole::Normal, this));
    head->addWidget(m_iterations);
    head->addWidget(m_summary, 1);
    head->addWidget(close);
    auto *columns = new QSplitter(Qt::Horizontal, this);
    columns->addWidget(m_parts);
    columns->addWidget(m_table);
    columns->setChildrenCollapsible(false);
    columns->setStretchFactor(1, 1);
    columns->setSizes({ 290, 590 });
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(columns, 1);
    connect(m_iterations, &QComboBox::activated, this,
            [this](int place) { emit iterationPicked(static_cast<std::size_t>(place)); });
    connect(m_parts, &QTreeWidget::currentItemChanged, this, &PathPanel::applyPart);
}

void PathPanel::createTable()
{
    setUpSortedTable(*m_table, *m_model, *m_sorted, PathModel::SortRole, PathModel::StartColumn);
    m_table->setAccessibleName(tr("Segments of the critical path"));
    constexpr int FigureWidth = 86, RankWidth = 52;
    for (int column = 0; column < PathModel::ColumnCount; ++column)
        m_table->setColumnWidth(column, FigureWidth);
    m_table->setColumnWidth(PathModel::RankColumn, RankWidth);
    m_table->horizontalHeader()->setSectionResizeMode(PathModel::NameColumn, QHeaderView::Stretch);
    connect(m_table, &QTableView::clicked, this, &PathPanel::activate);
    connect(m_table, &QTableView::activated, this, &PathPanel::activate);
    offerCsv(*m_table, QStringLiteral("critical-path"));
}

void PathPanel::setIterations(const core::Diagnosis *diagnosis)
{
    m_path.reset();
    m_iterations->clear();
    m_summary->clear();
    fillParts();
    if (diagnosis == nullptr)
        return;
    for (const core::CriticalPathIteration &one : diagnosis->criticalPath.iterations) {
        const QString name = !diagnosis->hasIterations ? tr("the whole recording")
            : one.isCounted                            ? tr("iteration %1").arg(one.index)
                            : tr("iteration %1, not counted").arg(one.index);
        m_iterations->addItem(
            QStringLiteral("%1 \u00b7 %2").arg(name, formatDuration(one.parts.totalNs())));
    }
}

void PathPanel::showBusy(std::size_t place)
{
    m_iterations->setCurrentIndex(static_cast<int>(place));
    m_summary->setText(tr("Reading the path\u2026"));
}

void PathPanel::showError(const QString &message)
{
    m_path.reset();
    fillParts();
    m_summary->setText(message);
}

void PathPanel::showPath(std::shared_ptr<const PickedPath> path)
{
    m_path = std::move(path);
    m_iterations->setCurrentIndex(static_cast<int>(m_path->place));
    const auto onPath
        = std::ranges::count_if(m_path->segments, [](const auto &one) { return one.isOnPath; });
    m_summary->setText(tr("%1 replayed, %2")
                           .arg(formatDuration(m_path->report.totalNs()),
                                countText(static_cast<std::uint64_t>(onPath), tr("1 segment"),
                                          tr("%1 segments"))));
    fillParts();
    constexpr int PartWidth = 76, WaitWidth = 124; // "Wait for rank 12"
    m_table->setColumnWidth(PathModel::PartColumn,
                            m_path->report.waitNs > 0 ? WaitWidth : PartWidth);
}

void PathPanel::addPart(const PathFilter &filter, const QString &title, std::int64_t ns)
{
    auto *item = new QTreeWidgetItem(m_parts);
    item->setText(0, title);
    item->setText(1, formatDuration(ns));
    if (filter.isOnPath)
        item->setText(2, formatPercent(m_path->shareOf(ns)));
    for (const int column : { 1, 2 })
        item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    m_filters.push_back(filter);
}

void PathPanel::fillParts()
{
    {
        const QSignalBlocker quiet(m_parts);
        m_parts->clear();
        m_filters.clear();
        if (m_path != nullptr) {
            std::int64_t nearNs = 0;
            for (const core::PathSegment &one : m_path->segments) {
                if (!one.isOnPath)
                    nearNs += one.durationNs;
            }
            addPart({}, tr("All"), m_path->report.totalNs());
            for (const auto &[kind, part] : PathParts) {
                const std::int64_t ns = m_path->report.*part;
                if (std::string_view(kind) != "wait") {
                    if (ns > 0)
                        addPart({ kind }, partTitle(kind), ns);
                    continue;
                }
                for (const auto &[rank, waitNs] : core::waitsByRank(m_path->segments))
                    addPart({ kind, rank }, waitTitle(rank), waitNs);
            }
            if (nearNs > 0)
                addPart({ {}, std::nullopt, false }, tr("Nearly critical"), nearNs);
            m_parts->setCurrentItem(m_parts->topLevelItem(0));
        }
    }
    applyPart();
}

void PathPanel::applyPart()
{
    const int row = m_parts->indexOfTopLevelItem(m_parts->currentItem());
    m_model->setSnapshot(m_path, row < 0 ? PathFilter() : m_filters[static_cast<std::size_t>(row)]);
}

void PathPanel::activate(const QModelIndex &index)
{
    const int row = m_sorted->mapToSource(index).row();
    const core::TimeRange range = m_model->shownRange(row); // a listener may replace the model
    emit segmentActivated(core::SliceId(m_model->segment(row).slice), range);
}

void PathPanel::selectRow(int row)
{
    const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
    m_table->selectRow(index.row());
    m_table->scrollTo(index);
}

void PathPanel::followSelection(core::SliceId slice)
{
    const QModelIndex current = m_table->currentIndex();
    if (current.isValid()) {
        // A gap has the slice after it: the row that was clicked stays.
        const core::PathSegment &chosen = m_model->segment(m_sorted->mapToSource(current).row());
        if (std::ranges::find(chosen.slices, slice) != chosen.slices.end())
            return;
    }
    if (const auto row = m_model->rowOf(slice))
        selectRow(*row);
    else
        m_table->clearSelection();
}

void PathPanel::step(int direction)
{
    const QModelIndex current = m_table->currentIndex();
    const int count = m_model->rowCount();
    int row
        = current.isValid() ? m_sorted->mapToSource(current).row() : (direction > 0 ? -1 : count);
    for (row += direction; row >= 0 && row < count; row += direction) {
        const core::PathSegment &segment = m_model->segment(row);
        if (m_path->shareOf(segment.durationNs) <= LeastStepShare)
            continue;
        selectRow(row);
        return activate(m_table->currentIndex());
    }
}

} // namespace ui
