#pragma once

#include <QSortFilterProxyModel>

namespace ui {

class CollectivesModel;

/// Sorts collectives by the values of a column. It asks the model itself: a QVariant for each of
/// the comparisons of tens of thousands of rows would be felt.
class CollectivesOrder : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    /// `model` must outlive it.
    CollectivesOrder(CollectivesModel &model, QObject *parent);

protected:
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    const CollectivesModel &m_model;
};

} // namespace ui
