#pragma once

#include "core/scenario/scenario.h"

#include <QWidget>

#include <memory>

namespace ui {

/// Measured beside predicted iteration time, their difference and interval, and the parts of the
/// iteration.
class ResultHeader : public QWidget
{
    Q_OBJECT

public:
    explicit ResultHeader(QWidget *parent);

    void setResult(std::shared_ptr<const core::ScenarioResult> result);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintFigures(QPainter &painter) const;
    int partNameWidth() const; ///< as wide as the longest name
    int roomForFigures(int columns) const; ///< beside so many columns of numbers of the parts
    int partColumns() const; ///< where not all fit, the difference says most
    int figureWidth() const; ///< of one of the three figures beside the table of parts
    void paintParts(QPainter &painter) const;

    std::shared_ptr<const core::ScenarioResult> m_result;
};

} // namespace ui
