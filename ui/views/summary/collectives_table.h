#pragma once

#include "core/analyze/diagnosis.h"

#include <QTableView>

#include <memory>

namespace ui {

class CollectivesModel;
class CollectivesOrder;

/// Sortable table of collectives, longest wait first.
class CollectivesTable : public QTableView
{
    Q_OBJECT

public:
    CollectivesTable(std::shared_ptr<const core::Diagnosis> diagnosis, QWidget *parent);

signals:
    /// Double-click or Enter: the part that waited longest, and the time of the whole collective.
    void collectiveActivated(core::SliceId slice, core::TimeRange range);

private:
    void activateRow(const QModelIndex &index);

    CollectivesModel *m_model = nullptr;
    CollectivesOrder *m_sorted = nullptr;
};

} // namespace ui
