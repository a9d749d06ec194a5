#include "ui/views/summary/summary_charts.h"

#include <QBarSeries>
#include <QBarSet>
#include <QChart>
#include <QHorizontalStackedBarSeries>
#include <QLineSeries>
#include <QTest>
#include <QValueAxis>

#include <cmath>
#include <memory>
#include <vector>

using namespace ui;

namespace {

/// Iterations of 550 ms and some, of each rank a little else.
core::SummaryData summaryOf(std::size_t ranks, std::size_t iterations)
{
    constexpr std::int64_t Ms = 1'000'000;
    core::SummaryData data;
    data.hasIterations = true;
    for (std::size_t i = 0; i < iterations; ++i)
        data.iterationNumbers.push_back(static_cast<std::int64_t>(i));
    for (std::size_t r = 0; r < ranks; ++r) {
        core::RankParts parts;
        parts.rank = static_cast<int>(r);
        parts.computeNs = 550 * Ms;
        data.ranks.push_back(parts);
        for (std::size_t i = 0; i < iterations; ++i)
            data.iterationTimesNs.push_back((550 + static_cast<std::int64_t>(r)) * Ms);
    }
    return data;
}

template <class Series>
std::vector<Series *> seriesOf(const QChart &chart)
{
    std::vector<Series *> found;
    const auto all = chart.series();
    for (QAbstractSeries *series : all)
        if (auto *one = qobject_cast<Series *>(series))
            found.push_back(one);
    return found;
}

/// How far apart two colours are, of 441.
double distance(const QColor &a, const QColor &b)
{
    return std::hypot(a.red() - b.red(), a.green() - b.green(), a.blue() - b.blue());
}

} // namespace

class TestSummaryCharts : public QObject
{
    Q_OBJECT

private slots:
    void ranksAreToldApart_data();
    void ranksAreToldApart();
    void linesHavePatternsAndSpreadOverTheAxis();
    void linesAreDrawnOverTheNumbersOfTheIterations();
    void everyTickHasItsNumber_data();
    void everyTickHasItsNumber();
    void aSingleRankIsNoGiantBar();
    void waitingForOtherRanksIsHatchedCommunication();
    void secondsAreToldAsSeconds();
};

void TestSummaryCharts::ranksAreToldApart_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

/// Twelve ranks were twelve shades of one blue, 5 apart.
void TestSummaryCharts::ranksAreToldApart()
{
    QFETCH(const bool, isDark);
    const Theme &theme = isDark ? darkTheme() : lightTheme();
    constexpr std::size_t Count = 12;
    for (std::size_t i = 0; i < Count; ++i) {
        const QColor colour = rankColor(i, Count, theme);
        QVERIFY(contrastRatio(colour, theme.background) >= 3);
        if (i == 0)
            continue;
        const QColor before = rankColor(i - 1, Count, theme);
        QVERIFY2(distance(colour, before) >= 10, qPrintable(colour.name()));
        QVERIFY(qGray(colour.rgb()) > qGray(before.rgb())); // also in grey
    }
    // The only rank was the grey in the middle.
    QCOMPARE(rankColor(0, 1, theme), rankColor(0, Count, theme));
}

void TestSummaryCharts::linesHavePatternsAndSpreadOverTheAxis()
{
    const core::SummaryData data = summaryOf(12, 6);
    QCOMPARE(iterationAxisStartNs(data), 550'000'000);
    const std::unique_ptr<QChart> chart(createIterationChart(data, darkTheme()));
    const auto lines = seriesOf<QLineSeries>(*chart);
    QCOMPARE(lines.size(), std::size_t { 12 });
    for (std::size_t i = 1; i < lines.size(); ++i)
        QVERIFY(lines[i]->pen().style() != lines[i - 1]->pen().style());
    const auto axes = chart->axes(Qt::Vertical);
    const auto *values = qobject_cast<const QValueAxis *>(axes.front());
    QVERIFY(values->min() >= 540 && values->min() <= 550);
    QVERIFY(values->max() >= 561);
    QCOMPARE(iterationAxisStartNs(summaryOf(4, 6)), 0); // bars tell sizes
}

/// They were counted from 0, whatever the trace and the bars of fewer ranks call them.
void TestSummaryCharts::linesAreDrawnOverTheNumbersOfTheIterations()
{
    core::SummaryData data = summaryOf(21, 3);
    data.iterationNumbers = { 551, 552, 553 };
    const std::unique_ptr<QChart> chart(createIterationChart(data, darkTheme()));
    const auto lines = seriesOf<QLineSeries>(*chart);
    QCOMPARE(lines.at(0)->at(0).x(), 551.0);
    QCOMPARE(lines.at(20)->at(2).x(), 553.0);
    const auto axes = chart->axes(Qt::Horizontal);
    const auto *numbers = qobject_cast<const QValueAxis *>(axes.front());
    QCOMPARE(numbers->min(), 551.0);
    QCOMPARE(numbers->max(), 553.0);
    QCOMPARE(numbers->tickAnchor(), 551.0);
    QCOMPARE(numbers->tickInterval(), 1.0);
}

void TestSummaryCharts::everyTickHasItsNumber_data()
{
    QTest::addColumn<std::int64_t>("startNs");
    QTest::addColumn<std::int64_t>("stepNs"); // from rank to rank
    QTest::addColumn<QStringList>("labels");
    QTest::newRow("tenths of 550 ms")
        << std::int64_t { 550'000'000 } << std::int64_t { 100'000 }
        << QStringList({ QStringLiteral("550.0"), QStringLiteral("550.2"), QStringLiteral("550.4"),
                         QStringLiteral("550.6"), QStringLiteral("550.8"), QStringLiteral("551.0"),
                         QStringLiteral("551.2") });
    QTest::newRow("steps of 2.5 ms")
        << std::int64_t { 0 } << std::int64_t { 1'200'000 }
        << QStringList({ QStringLiteral("0.0"), QStringLiteral("2.5"), QStringLiteral("5.0"),
                         QStringLiteral("7.5"), QStringLiteral("10.0"), QStringLiteral("12.5"),
                         QStringLiteral("15.0") });
}

/// All numbers were "5.5e+02" where the axis did not begin at 0, and 12.5 was "12".
void TestSummaryCharts::everyTickHasItsNumber()
{
    QFETCH(const std::int64_t, startNs);
    QFETCH(const std::int64_t, stepNs);
    QFETCH(const QStringList, labels);
    constexpr std::int64_t Ranks = 12, Iterations = 6;
    core::SummaryData data = summaryOf(Ranks, Iterations);
    for (std::int64_t i = 0; i < Ranks * Iterations; ++i)
        data.iterationTimesNs[std::size_t(i)] = startNs + (i / Iterations) * stepNs;
    const std::unique_ptr<QChart> chart(createIterationChart(data, darkTheme()));
    const auto axes = chart->axes(Qt::Vertical);
    const auto *values = qobject_cast<const QValueAxis *>(axes.front());
    QStringList shown;
    const double step = (values->max() - values->min()) / (values->tickCount() - 1);
    for (int tick = 0; tick < values->tickCount(); ++tick)
        shown << QString::asprintf(qPrintable(values->labelFormat()), values->min() + tick * step);
    QCOMPARE(shown, labels);
}

void TestSummaryCharts::aSingleRankIsNoGiantBar()
{
    const core::SummaryData data = summaryOf(1, 1);
    const std::unique_ptr<QChart> iterations(createIterationChart(data, darkTheme()));
    QVERIFY(seriesOf<QBarSeries>(*iterations).at(0)->barWidth() < 0.1);
    std::size_t shown = 0;
    const std::unique_ptr<QChart> parts(createPartsChart(data, darkTheme(), shown));
    QCOMPARE(shown, std::size_t { 1 });
    const double bar = seriesOf<QHorizontalStackedBarSeries>(*parts).at(0)->barWidth();
    QVERIFY(bar * partsChartHeight(1) < 40); // pixels
}

/// It was the same bar as the transfer.
void TestSummaryCharts::waitingForOtherRanksIsHatchedCommunication()
{
    constexpr std::int64_t Ms = 1'000'000;
    core::SummaryData data = summaryOf(2, 1);
    data.ranks[0].exposedCommNs = 300 * Ms;
    data.ranks[0].exposedWaitNs = 100 * Ms;
    data.ranks[1].exposedCommNs = 200 * Ms;
    QVERIFY(partsLegend(data, lightTheme()).contains(QStringLiteral("exposed\u00a0communication")));
    data.hasWaits = true;
    const Theme &theme = lightTheme();
    const QString legend = partsLegend(data, theme);
    QVERIFY(legend.contains(QStringLiteral("exposed\u00a0transfer")));
    QVERIFY(legend.contains(QStringLiteral("waiting\u00a0for\u00a0other\u00a0ranks")));
    QVERIFY(!legend.contains(QStringLiteral("exposed\u00a0communication")));
    std::size_t shown = 0;
    const std::unique_ptr<QChart> chart(createPartsChart(data, theme, shown));
    const auto series = seriesOf<QHorizontalStackedBarSeries>(*chart);
    QCOMPARE(series.size(), std::size_t { 1 });
    const QList<QBarSet *> sets = series.front()->barSets();
    QCOMPARE(sets.size(), 3);
    QCOMPARE(sets[1]->at(1), 200.0); // rank 0 is on top, last
    QCOMPARE(sets[2]->at(1), 100.0);
    QCOMPARE(sets[2]->at(0), 0.0);
    QCOMPARE(sets[1]->brush().style(), Qt::SolidPattern);
    QCOMPARE(sets[2]->brush().style(), Qt::BDiagPattern);
    QCOMPARE(sets[2]->brush().color(), theme.role(core::Role::Communication));
}

/// Beside a figure of 1.898 s the axis counted to 2500 ms.
void TestSummaryCharts::secondsAreToldAsSeconds()
{
    core::SummaryData data = summaryOf(2, 3);
    const auto titleOf = [&data] {
        const std::unique_ptr<QChart> chart(createIterationChart(data, lightTheme()));
        return chart->axes(Qt::Vertical).front()->titleText();
    };
    QCOMPARE(titleOf(), QStringLiteral("ms"));
    data.iterationTimesNs.back() = 1'898'000'000;
    QCOMPARE(titleOf(), QStringLiteral("s"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSummaryCharts)
#include "tst_summary_charts.moc"
