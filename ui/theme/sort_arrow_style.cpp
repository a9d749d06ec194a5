#include "ui/theme/sort_arrow_style.h"

#include <QStyleOptionHeader>

namespace ui {

void SortArrowStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option,
                                   QPainter *painter, const QWidget *widget) const
{
    const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option);
    if (element != PE_IndicatorHeaderArrow || header == nullptr)
        return QProxyStyle::drawPrimitive(element, option, painter, widget);
    QStyleOptionHeader turned = *header; // Qt's word for descending is SortUp
    turned.sortIndicator = header->sortIndicator == QStyleOptionHeader::SortUp
        ? QStyleOptionHeader::SortDown
        : QStyleOptionHeader::SortUp;
    QProxyStyle::drawPrimitive(element, &turned, painter, widget);
}

} // namespace ui
