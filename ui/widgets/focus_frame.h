#pragma once

#include <QWidget>

namespace ui {

/// A line around the table, text or canvas that Tab goes to, whose own style draws none. Buttons
/// and fields draw theirs. It lies over the widget as its child, so it moves with it.
class FocusFrame : public QWidget
{
    Q_OBJECT

public:
    /// Property of widgets that are framed besides scroll areas.
    static constexpr const char *Property = "focusFrame";

    /// Frames widgets of a window, from now on until the window dies.
    static void installOn(QWidget &window);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    explicit FocusFrame(QWidget &framed);
};

} // namespace ui
