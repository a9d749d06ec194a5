#include "ui/widgets/sort_order.h"

namespace ui {

QVariant firstSortOrder(const QVariant &alignment)
{
    // Models give the flags as they are, or as a number.
    const Qt::Alignment flags = alignment.typeId() == QMetaType::Int
        ? Qt::Alignment(QFlag(alignment.toInt()))
        : alignment.value<Qt::Alignment>();
    const bool isFigure = flags.testFlag(Qt::AlignRight);
    return QVariant::fromValue(isFigure ? Qt::DescendingOrder : Qt::AscendingOrder);
}

} // namespace ui
