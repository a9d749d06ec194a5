#pragma once

#include <QFrame>

namespace ui {

/// Popup that says what the colours and patterns of the timeline mean.
class Legend : public QFrame
{
    Q_OBJECT

public:
    explicit Legend(QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace ui
