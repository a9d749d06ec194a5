#pragma once

#include <QWidget>

namespace ui {

/// One line that says what the bars of the timelines above it are; what does not fit is left out
/// from its end.
class BarLegend : public QWidget
{
    Q_OBJECT

public:
    explicit BarLegend(QWidget *parent);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return { 0, sizeHint().height() }; }

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace ui
