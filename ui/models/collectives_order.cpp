#include "ui/models/collectives_order.h"

#include "ui/models/collectives_model.h"

namespace ui {

CollectivesOrder::CollectivesOrder(CollectivesModel &model, QObject *parent)
    : QSortFilterProxyModel(parent)
    , m_model(model)
{
    setSourceModel(&model);
}

bool CollectivesOrder::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    return m_model.isLess(left.row(), right.row(), left.column());
}

} // namespace ui
