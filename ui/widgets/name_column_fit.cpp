#include "ui/widgets/name_column_fit.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace ui {

NameColumnFit::NameColumnFit(QTableView *table, int column, int leastPx)
    : QObject(table)
    , m_table(table)
    , m_column(column)
    , m_leastPx(leastPx)
{
    QHeaderView *header = table->horizontalHeader();
    header->setSectionResizeMode(column, QHeaderView::Interactive);
    table->viewport()->installEventFilter(this);
    connect(header, &QHeaderView::sectionResized, this, [this](int resized) {
        if (resized != m_column)
            fit();
    });
    connect(header, &QHeaderView::sectionCountChanged, this, &NameColumnFit::fit);
    fit();
}

bool NameColumnFit::eventFilter(QObject * /*watched*/, QEvent *event)
{
    if (event->type() == QEvent::Resize) {
        fit();
        // A scroll bar that is needed no more leaves its width after this.
        QMetaObject::invokeMethod(this, &NameColumnFit::fit, Qt::QueuedConnection);
    }
    return false;
}

void NameColumnFit::fit()
{
    QHeaderView *header = m_table->horizontalHeader();
    if (m_column >= header->count())
        return;
    const int others = header->length() - header->sectionSize(m_column);
    header->resizeSection(m_column, std::max(m_leastPx, m_table->viewport()->width() - others));
}

} // namespace ui
