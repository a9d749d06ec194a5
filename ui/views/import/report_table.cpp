#include "ui/views/import/report_table.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/elided_name.h"

#include <QAbstractProxyModel>
#include <QHeaderView>
#include <QStyledItemDelegate>

#include <algorithm>

namespace ui {

namespace {

    QIcon colouredIcon(const QString &name, QPalette palette, const QColor &color)
    {
        palette.setColor(QPalette::WindowText, color);
        return themedIcon(name, palette);
    }

    class NameDelegate : public QStyledItemDelegate
    {
    public:
        explicit NameDelegate(ReportTable *table)
            : QStyledItemDelegate(table)
            , m_table(table)
        {
        }

    protected:
        void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
        {
            QStyledItemDelegate::initStyleOption(option, index);
            if (option->rect.isEmpty())
                return; // what it takes is asked, not to draw it
            const QRect text
                = m_table->style()->subElementRect(QStyle::SE_ItemViewItemText, option, m_table);
            const int margin
                = m_table->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, option, m_table) + 1;
            option->text = elidedName(option->text, m_table->sharedStart(), option->fontMetrics,
                                      text.width() - 2 * margin);
        }

    private:
        const ReportTable *m_table;
    };

} // namespace

ReportTable::ReportTable(QWidget *parent)
    : QTableView(parent)
{
    setSortingEnabled(true);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setWordWrap(false);
    setTextElideMode(Qt::ElideRight);
    setTabKeyNavigation(false);
    setIconSize(QSize(16, 16));
    setContextMenuPolicy(Qt::ActionsContextMenu);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(comfortableRowHeight);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setTextElideMode(Qt::ElideRight);
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int section) {
        if (section != m_filler)
            fill();
    });
}

void ReportTable::elideNames(int column)
{
    setItemDelegateForColumn(column, new NameDelegate(this));
}

void ReportTable::setSharedStart(const QString &start)
{
    m_sharedStart = start;
    viewport()->update();
}

void ReportTable::fillWith(int column, int leastWidth)
{
    m_filler = column;
    m_leastWidth = leastWidth;
    fill();
}

void ReportTable::fit(int column)
{
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
}

void ReportTable::fill()
{
    if (m_filler < 0)
        return;
    const int others = horizontalHeader()->length() - columnWidth(m_filler);
    setColumnWidth(m_filler, std::max(m_leastWidth, viewport()->width() - others));
}

void ReportTable::resizeEvent(QResizeEvent *event)
{
    QTableView::resizeEvent(event);
    fill();
}

std::optional<int> ReportTable::selectedRow() const
{
    const QModelIndexList rows = selectionModel()->selectedRows();
    if (rows.isEmpty())
        return std::nullopt;
    const auto *proxy = qobject_cast<const QAbstractProxyModel *>(model());
    return proxy == nullptr ? rows.front().row() : proxy->mapToSource(rows.front()).row();
}

void ReportTable::selectionChanged(const QItemSelection &selected, const QItemSelection &deselected)
{
    QTableView::selectionChanged(selected, deselected);
    if (!selected.isEmpty())
        emit rowSelected();
}

SeverityIcons severityIcons(const QPalette &palette)
{
    const Theme &theme = themeOf(palette);
    return { { colouredIcon(QStringLiteral("info"), palette, theme.secondaryText),
               colouredIcon(QStringLiteral("warning"), palette, theme.warning),
               colouredIcon(QStringLiteral("error"), palette, theme.worse) } };
}

QIcon checkIcon(const QPalette &palette)
{
    return colouredIcon(QStringLiteral("check"), palette, themeOf(palette).better);
}

} // namespace ui
