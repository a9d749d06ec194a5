#include "ui/views/strategies/best_curve.h"

#include "ui/theme/theme.h"
#include "ui/widgets/chart_axis.h"
#include "ui/widgets/format.h"

#include <QChart>
#include <QChartView>
#include <QEvent>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QScatterSeries>
#include <QToolTip>
#include <QVBoxLayout>
#include <QValueAxis>

#include <algorithm>

namespace ui {

namespace {

    constexpr double NsPerMs = 1e6;
    constexpr double TriedSize = 6, BestWidth = 2;
    /// Slower ones than the baseline by this factor are drawn at the upper edge.
    constexpr double MostOfBaseline = 1.25;

} // namespace

BestCurve::BestCurve(QWidget *parent)
    : QWidget(parent)
    , m_view(new QChartView(new QChart, this))
    , m_tried(new QScatterSeries)
    , m_best(new QLineSeries)
    , m_count(new QValueAxis)
    , m_time(new QValueAxis)
{
    QChart *const chart = m_view->chart();
    chart->setBackgroundVisible(false);
    chart->setMargins(QMargins(0, 0, 0, 0));
    chart->layout()->setContentsMargins(0, 0, 0, 0);
    m_tried->setName(tr("tried"));
    m_tried->setMarkerSize(TriedSize);
    m_best->setName(tr("best so far"));
    chart->addSeries(m_tried);
    chart->addSeries(m_best);
    chart->addAxis(m_count, Qt::AlignBottom);
    chart->addAxis(m_time, Qt::AlignLeft);
    for (QXYSeries *series :
         { static_cast<QXYSeries *>(m_tried), static_cast<QXYSeries *>(m_best) }) {
        series->attachAxis(m_count);
        series->attachAxis(m_time);
    }
    m_count->setTitleText(tr("strategies tried"));
    m_time->setTitleText(tr("iteration, ms"));
    chart->legend()->setAlignment(Qt::AlignTop);
    chart->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setBackgroundBrush(Qt::NoBrush);
    m_view->viewport()->setAutoFillBackground(false);
    m_view->setAccessibleName(tr("Best iteration so far by number of strategies tried"));
    m_view->setFocusPolicy(Qt::NoFocus);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
    connect(m_tried, &QScatterSeries::hovered, this, [this](const QPointF &point, bool isOver) {
        if (!isOver)
            return QToolTip::hideText();
        const QString time = formatDuration(static_cast<std::int64_t>(point.y() * NsPerMs));
        QToolTip::showText(QCursor::pos(),
                           toolTipParagraphs(tr("number %1: %2").arg(qRound(point.x())).arg(time)),
                           this);
    });
    style();
}

void BestCurve::setSteps(std::int64_t baselineNs, const std::vector<core::SearchStep> &steps)
{
    QList<QPointF> tried, best;
    const double baselineMs = static_cast<double>(baselineNs) / NsPerMs;
    double bestMs = baselineMs, mostMs = baselineMs;
    best << QPointF(0, baselineMs);
    double count = 0;
    for (const core::SearchStep &step : steps) {
        ++count;
        if (!step.predictedNs)
            continue;
        const double ms = static_cast<double>(*step.predictedNs) / NsPerMs;
        const double shownMs = std::min(ms, MostOfBaseline * baselineMs);
        mostMs = std::max(mostMs, shownMs);
        tried << QPointF(count, shownMs);
        if (!step.isAccepted)
            continue;
        best << QPointF(count, bestMs);
        bestMs = ms;
        best << QPointF(count, bestMs);
    }
    best << QPointF(std::max(1.0, count), bestMs);
    m_tried->replace(tried);
    m_best->replace(best);
    constexpr double LeastRange = 0.02; // of the baseline
    setRoundRange(*m_time, std::min(bestMs, (1 - LeastRange) * baselineMs), mostMs);
    setRoundRange(*m_count, 0, std::max(10.0, count));
}

void BestCurve::style()
{
    const Theme &theme = themeOf(palette());
    styleAxis(*m_count, theme, true);
    styleAxis(*m_time, theme, true);
    m_tried->setColor(blend(theme.background, theme.secondaryText, 0.6));
    m_tried->setBorderColor(Qt::transparent);
    m_best->setPen(QPen(theme.accent, BestWidth));
    m_view->chart()->legend()->setLabelColor(theme.secondaryText);
    m_view->chart()->legend()->setFont(uiFont(TextSize::Small));
}

void BestCurve::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        style();
    QWidget::changeEvent(event);
}

} // namespace ui
