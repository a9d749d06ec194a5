#pragma once

#include <QWidget>

namespace ui {

/// Says what the bars of the timelines above it are; as many lines as its width needs.
class BarLegend : public QWidget
{
    Q_OBJECT

public:
    explicit BarLegend(QWidget *parent);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return { 0, sizeHint().height() }; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace ui
