#include "ui/views/summary/summary_charts.h"

#include "ui/widgets/chart_axis.h"
#include "ui/widgets/format.h"

#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QChart>
#include <QCoreApplication>
#include <QCursor>
#include <QGraphicsLayout>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QLineSeries>
#include <QStringList>
#include <QToolTip>
#include <QValueAxis>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

namespace ui {

namespace {

    constexpr std::size_t maxBars = 60; ///< ranks x iterations drawn as grouped bars
    constexpr std::size_t maxLegendRanks = 16; ///< beyond it a legend tells of the ends only
    constexpr std::size_t maxPartsRanks = 32;
    constexpr int PartsAxisHeight = 60;

    struct SummaryChartsText
    {
        Q_DECLARE_TR_FUNCTIONS(SummaryCharts)
    };

    /// The unit of an axis: one for all its labels, and the one of the figures beside the chart.
    struct AxisUnit
    {
        double nsPerUnit;
        QString name;
    };

    AxisUnit axisUnit(std::int64_t largestNs)
    {
        if (largestNs >= 1'000'000'000)
            return { 1e9, QStringLiteral("s") };
        if (largestNs >= 1'000'000)
            return { 1e6, QStringLiteral("ms") };
        return { 1e3, QStringLiteral("\u00b5s") };
    }

    QChart *createChart()
    {
        auto *chart = new QChart;
        chart->setBackgroundVisible(false);
        chart->setMargins(QMargins(0, 0, 0, 0));
        chart->layout()->setContentsMargins(0, 0, 0, 0);
        chart->legend()->hide(); // it cuts names off where it is too narrow; see rankLegend()
        return chart;
    }

    /// An axis with round steps from `smallest`, rounded down to one, on.
    QValueAxis *createValueAxis(double largest, const QString &title, const Theme &theme,
                                double smallest = 0)
    {
        auto *axis = new QValueAxis;
        styleAxis(*axis, theme, true);
        setRoundRange(*axis, smallest, largest);
        axis->setTitleText(title);
        return axis;
    }

    /// An axis of iterations by their numbers, none of which is a half.
    QValueAxis *createNumberAxis(const std::vector<std::int64_t> &numbers, const Theme &theme)
    {
        auto *axis = new QValueAxis;
        styleAxis(*axis, theme, true);
        const auto first = static_cast<double>(numbers.front());
        const double last = std::max(first + 1, static_cast<double>(numbers.back()));
        axis->setRange(first, last);
        axis->setTickType(QValueAxis::TicksDynamic);
        axis->setTickAnchor(first);
        axis->setTickInterval(std::max(1.0, std::ceil(roundStep(last - first))));
        axis->setLabelFormat(QStringLiteral("%.0f"));
        axis->setTitleText(SummaryChartsText::tr("iteration"));
        return axis;
    }

    QBarCategoryAxis *createCategoryAxis(const QStringList &names, const QString &title,
                                         const Theme &theme)
    {
        auto *axis = new QBarCategoryAxis;
        styleAxis(*axis, theme, false);
        axis->append(names);
        axis->setTitleText(title);
        axis->setTitleVisible(!title.isEmpty());
        return axis;
    }

    QString rankName(int rank)
    {
        return SummaryChartsText::tr("rank %1").arg(rank);
    }

    /// Shows the name of what is below the pointer, and its value.
    void showTip(bool isBelow, const QString &text)
    {
        if (isBelow)
            QToolTip::showText(QCursor::pos(), toolTipParagraphs(text));
        else
            QToolTip::hideText();
    }

    /// "iteration 3, rank 1: 551.2 ms".
    QString iterationTip(const core::SummaryData &data, std::size_t rank, std::size_t iteration)
    {
        return SummaryChartsText::tr("iteration %1, rank %2: %3")
            .arg(QString::number(data.iterationNumbers[iteration]),
                 QString::number(data.ranks[rank].rank),
                 formatDuration(data.iterationTimeNs(rank, iteration)));
    }

    /// Index of the iteration whose number is nearest to a place on the axis.
    std::size_t nearestTo(const core::SummaryData &data, double number)
    {
        const auto &numbers = data.iterationNumbers;
        const auto nearest
            = std::min_element(numbers.begin(), numbers.end(), [number](auto a, auto b) {
                  return std::abs(static_cast<double>(a) - number)
                      < std::abs(static_cast<double>(b) - number);
              });
        return static_cast<std::size_t>(nearest - numbers.begin());
    }

    void addIterationBars(QChart &chart, const core::SummaryData &data, const AxisUnit &unit,
                          const Theme &theme)
    {
        auto *series = new QBarSeries;
        const auto tips = std::make_shared<const core::SummaryData>(data);
        // One rank and one iteration would be a bar as wide as the chart.
        constexpr double Usual = 0.72, WidestBar = 0.09; // of a category, of the chart
        series->setBarWidth(
            std::min(Usual, WidestBar * static_cast<double>(data.iterationTimesNs.size())));
        for (std::size_t r = 0; r < data.ranks.size(); ++r) {
            auto *set = new QBarSet(rankName(data.ranks[r].rank));
            for (std::size_t i = 0; i < data.iterationNumbers.size(); ++i)
                set->append(static_cast<double>(data.iterationTimeNs(r, i)) / unit.nsPerUnit);
            set->setColor(rankColor(r, data.ranks.size(), theme));
            set->setBorderColor(theme.background);
            QObject::connect(set, &QBarSet::hovered, set, [tips, r](bool isBelow, int i) {
                showTip(isBelow, iterationTip(*tips, r, static_cast<std::size_t>(i)));
            });
            series->append(set);
        }
        chart.addSeries(series);
    }

    /// Neighbours among many ranks are told apart by it.
    struct LineStyle
    {
        Qt::PenStyle style;
        QChar sign; ///< in the legend
    };

    constexpr std::array lineStyles { LineStyle { Qt::SolidLine, QChar(0x2501) },
                                      LineStyle { Qt::DashLine, QChar(0x254d) },
                                      LineStyle { Qt::DotLine, QChar(0x2505) } };

    bool hasBars(const core::SummaryData &data)
    {
        return data.iterationTimesNs.size() <= maxBars;
    }

    void addIterationLines(QChart &chart, const core::SummaryData &data, const AxisUnit &unit,
                           const Theme &theme)
    {
        const auto tips = std::make_shared<const core::SummaryData>(data);
        for (std::size_t r = 0; r < data.ranks.size(); ++r) {
            auto *line = new QLineSeries;
            line->setName(rankName(data.ranks[r].rank));
            for (std::size_t i = 0; i < data.iterationNumbers.size(); ++i) {
                if (const std::int64_t ns = data.iterationTimeNs(r, i); ns > 0)
                    line->append(static_cast<double>(data.iterationNumbers[i]),
                                 static_cast<double>(ns) / unit.nsPerUnit);
            }
            line->setPen(QPen(rankColor(r, data.ranks.size(), theme), 1.5,
                              lineStyles[r % lineStyles.size()].style));
            line->setPointsVisible(data.iterationNumbers.size() <= 50);
            QObject::connect(
                line, &QLineSeries::hovered, line, [tips, r](const QPointF &point, bool isBelow) {
                    showTip(isBelow, iterationTip(*tips, r, nearestTo(*tips, point.x())));
                });
            chart.addSeries(line);
        }
    }

    void attach(QChart &chart, QAbstractAxis *axis, Qt::Alignment side)
    {
        chart.addAxis(axis, side);
        const auto all = chart.series();
        for (QAbstractSeries *series : all)
            series->attachAxis(axis);
    }

    /// Indices into data.ranks, by rank; of too many, those of the longest time.
    std::vector<std::size_t> ranksToShow(const core::SummaryData &data)
    {
        std::vector<std::size_t> order(data.ranks.size());
        std::iota(order.begin(), order.end(), std::size_t { 0 });
        if (order.size() > maxPartsRanks) {
            std::stable_sort(order.begin(), order.end(), [&data](std::size_t a, std::size_t b) {
                return data.ranks[a].totalNs() > data.ranks[b].totalNs();
            });
            order.resize(maxPartsRanks);
            std::sort(order.begin(), order.end());
        }
        // Horizontal bars grow upwards: the first rank goes last to stand on top.
        std::reverse(order.begin(), order.end());
        return order;
    }

    struct Part
    {
        QString name;
        QBrush brush;
        std::int64_t (*ns)(const core::RankParts &);
    };

    std::vector<Part> partsToShow(const core::SummaryData &data, const Theme &theme)
    {
        const QColor communication = theme.role(core::Role::Communication);
        std::vector<Part> parts {
            { SummaryChartsText::tr("compute"), theme.role(core::Role::Forward),
              [](const core::RankParts &rank) { return rank.computeNs; } },
            { data.hasWaits ? SummaryChartsText::tr("exposed transfer")
                            : SummaryChartsText::tr("exposed communication"),
              communication,
              [](const core::RankParts &rank) { return rank.exposedCommNs - rank.exposedWaitNs; } },
            { SummaryChartsText::tr("waiting for other ranks"),
              QBrush(communication, Qt::BDiagPattern),
              [](const core::RankParts &rank) { return rank.exposedWaitNs; } },
            { SummaryChartsText::tr("copies alone"), theme.role(core::Role::Memory),
              [](const core::RankParts &rank) { return rank.memOnlyNs; } },
            { SummaryChartsText::tr("idle"), theme.idle,
              [](const core::RankParts &rank) { return rank.idleNs; } },
        };
        // What is too narrow to be drawn would only be a riddle in the legend.
        constexpr std::int64_t narrowest = 1000;
        const auto isAbsent = [&data](const Part &part) {
            return std::all_of(data.ranks.begin(), data.ranks.end(),
                               [&part](const core::RankParts &rank) {
                                   const std::int64_t ns = part.ns(rank);
                                   return ns == 0 || ns < rank.totalNs() / narrowest;
                               });
        };
        parts.erase(std::remove_if(parts.begin(), parts.end(), isAbsent), parts.end());
        return parts;
    }

    constexpr QLatin1String betweenEntries("&nbsp;&nbsp; ");

    constexpr QChar Filled(0x25a0), Hatched(0x25a8);

    /// Rich text that does not wrap.
    QString legendEntry(const QColor &color, QString name, QChar sign = Filled)
    {
        return QStringLiteral("<span style='color:%1'>%2</span>\u00a0%3")
            .arg(color.name(), QString(sign), name.replace(QLatin1Char(' '), QChar(0x00a0)));
    }

    /// Colours between which a ramp goes, equally far apart.
    QColor onRamp(const std::array<QColor, 4> &anchors, double position)
    {
        const double at = std::clamp(position, 0.0, 1.0) * static_cast<double>(anchors.size() - 1);
        const auto below = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
        return blend(anchors[below], anchors[below + 1], at - static_cast<double>(below));
    }

} // namespace

QColor rankColor(std::size_t index, std::size_t count, const Theme &theme)
{
    // From blue over grey to yellow, ever lighter: told apart without red and green, and in grey.
    static const std::array dark { QColor(0x5a7fc0), QColor(0x8e96a8), QColor(0xc2b48c),
                                   QColor(0xf2e2a0) };
    static const std::array light { QColor(0x14274e), QColor(0x4b5a78), QColor(0x7f7a60),
                                    QColor(0xa58f1e) };
    const double position
        = count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0;
    return onRamp(theme.isDark ? dark : light, position);
}

QChart *createIterationChart(const core::SummaryData &data, const Theme &theme)
{
    QChart *chart = createChart();
    const std::int64_t largest
        = *std::max_element(data.iterationTimesNs.begin(), data.iterationTimesNs.end());
    const AxisUnit unit = axisUnit(largest);
    QAbstractAxis *iterations = nullptr;
    if (hasBars(data)) {
        addIterationBars(*chart, data, unit, theme);
        QStringList names;
        for (const std::int64_t number : data.iterationNumbers)
            names << QString::number(number);
        iterations = createCategoryAxis(names, SummaryChartsText::tr("iteration"), theme);
    } else {
        addIterationLines(*chart, data, unit, theme);
        iterations = createNumberAxis(data.iterationNumbers, theme);
    }
    attach(*chart, iterations, Qt::AlignBottom);
    attach(*chart,
           createValueAxis(static_cast<double>(largest) / unit.nsPerUnit, unit.name, theme,
                           static_cast<double>(iterationAxisStartNs(data)) / unit.nsPerUnit),
           Qt::AlignLeft);
    return chart;
}

std::int64_t iterationAxisStartNs(const core::SummaryData &data)
{
    constexpr double LeastSpread = 0.4; // of the longest; below it lines from 0 lie on each other
    std::int64_t least = 0, most = 0;
    for (const std::int64_t ns : data.iterationTimesNs) {
        least = ns > 0 && (least == 0 || ns < least) ? ns : least;
        most = std::max(most, ns);
    }
    const auto spread = static_cast<double>(most - least);
    return hasBars(data) || spread > LeastSpread * static_cast<double>(most) ? 0 : least;
}

QString rankLegend(const core::SummaryData &data, const Theme &theme)
{
    const std::size_t count = data.ranks.size();
    if (count < 2)
        return {};
    const auto entry = [&](std::size_t index) {
        return legendEntry(rankColor(index, count, theme), rankName(data.ranks[index].rank),
                           hasBars(data) ? QChar(0x25a0)
                                         : lineStyles[index % lineStyles.size()].sign);
    };
    if (count > maxLegendRanks)
        return entry(0) + QStringLiteral(" \u2026 ") + entry(count - 1);
    QStringList entries;
    for (std::size_t i = 0; i < count; ++i)
        entries << entry(i);
    return entries.join(betweenEntries);
}

QString partsLegend(const core::SummaryData &data, const Theme &theme)
{
    QStringList entries;
    for (const Part &part : partsToShow(data, theme))
        entries << legendEntry(part.brush.color(), part.name,
                               part.brush.style() == Qt::SolidPattern ? Filled : Hatched);
    return entries.join(betweenEntries);
}

QChart *createPartsChart(const core::SummaryData &data, const Theme &theme, std::size_t &shownRanks)
{
    QChart *chart = createChart();
    const std::vector<std::size_t> order = ranksToShow(data);
    shownRanks = order.size();
    std::int64_t largest = 1;
    for (const std::size_t index : order)
        largest = std::max(largest, data.ranks[index].totalNs());
    const AxisUnit unit = axisUnit(largest);
    auto *series = new QHorizontalStackedBarSeries;
    const auto tips = std::make_shared<const core::SummaryData>(data);
    constexpr double Usual = 0.66, Thickest = 28; // of a row; pixels
    const double rowHeight = (partsChartHeight(shownRanks) - PartsAxisHeight)
        / static_cast<double>(std::max<std::size_t>(1, shownRanks));
    series->setBarWidth(std::min(Usual, Thickest / rowHeight));
    for (const Part &part : partsToShow(data, theme)) {
        auto *set = new QBarSet(part.name);
        for (const std::size_t index : order)
            set->append(static_cast<double>(part.ns(data.ranks[index])) / unit.nsPerUnit);
        set->setBrush(part.brush);
        set->setBorderColor(theme.background);
        QObject::connect(set, &QBarSet::hovered, set, [tips, order, part](bool isBelow, int i) {
            const core::RankParts &rank = tips->ranks[order[static_cast<std::size_t>(i)]];
            const std::int64_t ns = part.ns(rank);
            showTip(isBelow,
                    SummaryChartsText::tr("rank %1, %2: %3, %4 of %5")
                        .arg(QString::number(rank.rank), part.name, formatDuration(ns),
                             formatPercent(
                                 static_cast<double>(ns)
                                 / static_cast<double>(std::max<std::int64_t>(1, rank.totalNs()))),
                             formatDuration(rank.totalNs())));
        });
        series->append(set);
    }
    chart->addSeries(series);
    QStringList names;
    for (const std::size_t index : order)
        names << rankName(data.ranks[index].rank);
    attach(*chart, createCategoryAxis(names, {}, theme), Qt::AlignLeft);
    attach(*chart, createValueAxis(static_cast<double>(largest) / unit.nsPerUnit, unit.name, theme),
           Qt::AlignBottom);
    return chart;
}

int partsChartHeight(std::size_t ranks)
{
    constexpr int rowHeight = 28;
    return std::max(260, PartsAxisHeight + rowHeight * static_cast<int>(ranks));
}

} // namespace ui
