#pragma once

#include "ui/views/timeline/area_totals_model.h"

#include <QWidget>

#include <memory>

class QLabel;
class QTableView;
class QTabWidget;

namespace ui {

/// The bottom drawer: totals of the selected area as sortable tables that can be copied as CSV.
class AreaDrawer : public QWidget
{
    Q_OBJECT

public:
    explicit AreaDrawer(QWidget *parent = nullptr);

    void showBusy();
    void showTotals(std::shared_ptr<const AreaTotals> totals);
    void showError(const QString &message);

signals:
    void closeRequested();

private:
    QTableView *addTable(AreaTotalsModel *model, const QString &title);
    void copyCurrent() const;

    QLabel *m_summary;
    QTabWidget *m_tabs;
    AreaTotalsModel *m_names, *m_roles, *m_ranks;
};

} // namespace ui
