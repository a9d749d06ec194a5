#pragma once

#include "core/optimize/search.h"

#include <QWidget>

#include <cstdint>
#include <vector>

class QChartView;
class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace ui {

/// The predicted iteration of each strategy that was tried, and the best so far as a line.
class BestCurve : public QWidget
{
    Q_OBJECT

public:
    explicit BestCurve(QWidget *parent);

    void setSteps(std::int64_t baselineNs, const std::vector<core::SearchStep> &steps);

protected:
    void changeEvent(QEvent *event) override;

private:
    void style();

    QChartView *m_view;
    QScatterSeries *m_tried;
    QLineSeries *m_best;
    QValueAxis *m_count;
    QValueAxis *m_time;
};

} // namespace ui
