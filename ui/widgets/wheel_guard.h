#pragma once

class QWidget;

namespace ui {

/// Numbers, sliders and lists of choices inside of `panel` take the wheel only while they have the
/// focus; without it the wheel scrolls the panel, and changes nothing on its way. Of those that are
/// there when it is called.
void leaveWheelToScrolling(QWidget &panel);

} // namespace ui
