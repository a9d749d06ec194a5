// Paints the drawn graph of 64 ranks and one million ops, all blocks open and no ranks folded,
// along a trajectory of zooms and pans, and prints what a frame costs: 1920x1080, software
// renderer.
#include "core/blocks/drawing.h"
#include "tests/bench/drawn_graph.h"
#include "ui/graph/graph_painter.h"

#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace {

constexpr QSize FrameSize(1920, 1080);

struct Look
{
    double from, unitsPerPixel, scrollY;
};

/// Zooms in on three places in 40 steps each, pans and scrolls there, and zooms out again.
std::vector<Look> trajectory(double width, double height)
{
    std::vector<Look> looks;
    Look look { 0, width / FrameSize.width(), 0 };
    const auto zoom = [&](double factor, double x) {
        const double at = look.from + x * look.unitsPerPixel;
        look.unitsPerPixel = std::min(look.unitsPerPixel / factor, width / FrameSize.width());
        look.from = std::max(0.0, at - x * look.unitsPerPixel);
        looks.push_back(look);
    };
    for (const double x : { 300.0, 960.0, 1700.0 }) {
        for (int i = 0; i < 40; ++i)
            zoom(1.2, x);
        for (int i = 0; i < 40; ++i) {
            look.from += 48 * look.unitsPerPixel;
            look.scrollY = std::min(look.scrollY + 40, std::max(0.0, height - FrameSize.height()));
            looks.push_back(look);
        }
        for (int i = 0; i < 40; ++i)
            zoom(1 / 1.2, x);
    }
    return looks;
}

double percentile(std::vector<double> values, double fraction)
{
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))];
}

void paintTrajectory(benchmark::State &state, bool isOpen)
{
    const core::GraphOutline outline = bench::DrawnGraphMaker().make().outline();
    core::DrawingOptions options;
    options.foldsAlikeRanks = false;
    options.level = isOpen ? core::DetailLevel::Ops : core::DetailLevel::Phases;
    const core::Drawing drawing = core::drawingOf(outline, options, {});
    const core::RowPlaces rows = core::rowPlaces(drawing, {});
    QImage image(FrameSize, QImage::Format_RGB32);
    ui::GraphPainter painter;
    ui::GraphFrame frame;
    frame.drawing = &drawing;
    frame.rows = &rows;
    frame.size = FrameSize;
    frame.theme = ui::darkTheme();
    frame.font = ui::uiFont(ui::TextSize::Small);
    std::vector<double> millis;
    for (auto _ : state)
        for (const Look &look : trajectory(drawing.width, rows.height)) {
            frame.from = look.from;
            frame.unitsPerPixel = look.unitsPerPixel;
            frame.scrollY = look.scrollY;
            const auto start = std::chrono::steady_clock::now();
            QPainter onImage(&image);
            painter.paint(onImage, frame);
            onImage.end();
            const std::chrono::duration<double, std::milli> took
                = std::chrono::steady_clock::now() - start;
            millis.push_back(took.count());
        }
    state.counters["blocks"] = static_cast<double>(drawing.blocks.size());
    state.counters["links"] = static_cast<double>(drawing.links.size());
    state.counters["p50_ms"] = percentile(millis, 0.5);
    state.counters["p99_ms"] = percentile(millis, 0.99);
    state.counters["max_ms"] = percentile(millis, 1);
}
BENCHMARK_CAPTURE(paintTrajectory, phases, false)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(paintTrajectory, open, true)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QGuiApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
