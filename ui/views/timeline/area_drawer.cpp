#include "ui/views/timeline/area_drawer.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/dense_table.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {
namespace {

    constexpr int MostMeasuredRows = 100;

    /// The table of most columns: in the smallest window no figure is scrolled away, and names are
    /// still told apart.
    void fitNames(QTableView &table)
    {
        constexpr int Role = 1, Count = 2, CountWidth = 60, FigureWidth = 78, ShareWidth = 102;
        const int last = table.model()->columnCount() - 1;
        // What a role is called has few lengths; a cut word tells nothing.
        table.horizontalHeader()->setSectionResizeMode(Role, QHeaderView::ResizeToContents);
        for (int column = Count; column <= last; ++column) {
            table.horizontalHeader()->setSectionResizeMode(column, QHeaderView::Interactive);
            table.setColumnWidth(column, FigureWidth);
        }
        table.setColumnWidth(Count, CountWidth);
        table.setColumnWidth(last, ShareWidth);
    }

} // namespace

AreaDrawer::AreaDrawer(QWidget *parent)
    : QWidget(parent)
    , m_summary(createLabel({}, TextRole::Secondary, this))
    , m_tabs(new QTabWidget(this))
    , m_names(new AreaTotalsModel(AreaTotalsModel::Table::Names, this))
    , m_roles(new AreaTotalsModel(AreaTotalsModel::Table::Roles, this))
    , m_ranks(new AreaTotalsModel(AreaTotalsModel::Table::Ranks, this))
{
    setAutoFillBackground(true);
    setMinimumHeight(140);
    m_tabs->setDocumentMode(true);
    fitNames(*addTable(m_names, tr("By name")));
    addTable(m_roles, tr("By role"));
    addTable(m_ranks, tr("By rank"));
    auto *copy = new QToolButton(this);
    copy->setIcon(themedIcon(QStringLiteral("copy"), palette()));
    copy->setText(tr("Copy as CSV"));
    copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(copy, &QToolButton::clicked, this, &AreaDrawer::copyCurrent);
    auto *close = new QToolButton(this);
    close->setIcon(themedIcon(QStringLiteral("close"), palette()));
    close->setToolTip(tr("Clear the area (Esc)"));
    close->setAccessibleName(tr("Clear the area"));
    connect(close, &QToolButton::clicked, this, &AreaDrawer::closeRequested);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(space::medium, space::tiny, space::small, 0);
    head->addWidget(m_summary, 1);
    head->addWidget(copy);
    head->addWidget(close);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(m_tabs, 1);
}

QTableView *AreaDrawer::addTable(AreaTotalsModel *model, const QString &title)
{
    auto *sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(model);
    sorted->setSortRole(AreaTotalsModel::SortRole);
    auto *table = new QTableView(m_tabs);
    table->setModel(sorted);
    table->setAccessibleName(title);
    table->setSortingEnabled(true);
    table->sortByColumn(-1, Qt::DescendingOrder); // as the totals are ordered
    setUpDenseTable(*table);
    table->horizontalHeader()->setResizeContentsPrecision(MostMeasuredRows);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    offerCsv(*table, QStringLiteral("area"));
    m_tabs->addTab(table, title);
    return table;
}

void AreaDrawer::showBusy()
{
    m_summary->setText(tr("Adding up the area\u2026"));
}

void AreaDrawer::showTotals(std::shared_ptr<const AreaTotals> totals)
{
    std::uint64_t slices = 0;
    for (const NameTotal &name : totals->names) {
        slices += name.count;
    }
    m_summary->setText(tr("%1 over %2: %3 of %4")
                           .arg(formatDuration(totals->range.durationNs()),
                                countText(totals->ranks.size(), tr("1 rank"), tr("%1 ranks")),
                                countText(slices, tr("1 slice"), tr("%1 slices")),
                                countText(totals->names.size(), tr("1 name"), tr("%1 names"))));
    m_names->setSnapshot(totals);
    m_roles->setSnapshot(totals);
    m_ranks->setSnapshot(totals);
}

void AreaDrawer::showError(const QString &message)
{
    m_summary->setText(message);
}

void AreaDrawer::copyCurrent() const
{
    const auto *table = qobject_cast<const QTableView *>(m_tabs->currentWidget());
    if (table != nullptr) {
        QGuiApplication::clipboard()->setText(tableCsv(*table->model()));
    }
}

} // namespace ui
