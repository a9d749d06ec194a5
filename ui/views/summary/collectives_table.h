#pragma once

#include "core/analyze/diagnosis.h"

#include <QTableView>

#include <memory>

namespace ui {

class CollectivesModel;
class CollectivesOrder;

/// Sortable table of collectives, longest wait first. It has no scroll bar of its own, as the page
/// has one: it shows its first rows, or all.
class CollectivesTable : public QTableView
{
    Q_OBJECT

public:
    CollectivesTable(std::shared_ptr<const core::Diagnosis> diagnosis, QWidget *parent);

    bool hasMore() const; ///< rows beyond the first
    void showAll(bool isAll);

signals:
    /// Double-click or Enter: the part that waited longest, and the time of the whole collective.
    void collectiveActivated(core::SliceId slice, core::TimeRange range);

protected:
    void wheelEvent(QWheelEvent *event) override;

private:
    void activateRow(const QModelIndex &index);

    CollectivesModel *m_model = nullptr;
    CollectivesOrder *m_sorted = nullptr;
};

} // namespace ui
