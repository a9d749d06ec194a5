#include "ui/main_window/diagnostics_panel.h"

#include "ui/main_window/diagnostics_model.h"
#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/widgets/text_label.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

namespace ui {

DiagnosticsPanel::DiagnosticsPanel(Session &session, QWidget *parent)
    : QDockWidget(tr("Import log"), parent)
    , m_session(session)
    , m_model(new DiagnosticsModel(this))
    , m_table(new QTableView)
    , m_empty(createLabel(tr("Nothing was skipped: every record of the input was read."),
                          TextRole::Secondary, nullptr))
{
    setObjectName(QStringLiteral("importLog"));
    setAllowedAreas(Qt::BottomDockWidgetArea);
    setFeatures(QDockWidget::DockWidgetClosable);
    setUpTable();

    auto *content = new QWidget;
    content->setProperty("page", true);
    content->setAttribute(Qt::WA_StyledBackground);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    m_empty->setContentsMargins(space::large, space::medium, space::large, space::medium);
    column->addWidget(m_empty, 0, Qt::AlignTop);
    column->addWidget(m_table);
    setWidget(content);

    connect(&session, &Session::projectChanged, this, &DiagnosticsPanel::updateRows);
    updateRows();
}

void DiagnosticsPanel::setUpTable()
{
    auto *sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_model);
    sorted->setSortRole(DiagnosticsModel::SortRole);
    m_table->setModel(sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(DiagnosticsModel::SeverityColumn, Qt::DescendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->setWordWrap(true);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setColumnWidth(DiagnosticsModel::FileColumn, 280);
}

void DiagnosticsPanel::updateRows()
{
    auto rows = std::make_shared<std::vector<core::Diagnostic>>();
    if (m_session.isOpen())
        *rows = m_session.reader().info().diagnostics;
    m_table->setVisible(!rows->empty());
    m_empty->setVisible(rows->empty());
    m_model->setSnapshot(std::move(rows));
}

} // namespace ui
