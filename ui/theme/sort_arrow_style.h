#pragma once

#include <QProxyStyle>

namespace ui {

/// Draws the arrow of a table's header as people read it: down where the largest is first.
class SortArrowStyle : public QProxyStyle
{
public:
    using QProxyStyle::QProxyStyle;

    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
};

} // namespace ui
